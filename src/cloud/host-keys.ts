/** Key types in the order in which OpenSSH prefers them; only short keys fit into a tag. */
const preferred = ["ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521"];

/**
 * Extracts the SSH host keys from a console's output. cloud-init prints them at the first boot between two marker lines
 * (https://cloudinit.readthedocs.io/en/latest/reference/modules.html#keys-to-console). Only the first block is used,
 * because later output may come from anyone who has logged in. The console may add a prefix to each line. Empty if
 * there is no complete block.
 */
export function consoleHostKeys(output: string): string[] {
  const [, block] =
    /-----BEGIN SSH HOST KEY KEYS-----([\s\S]*?)-----END SSH HOST KEY KEYS-----/.exec(output.replaceAll("\r", "")) ??
    [];
  const keys = [...(block ?? "").matchAll(/((?:ssh|ecdsa)-[\w-]+) ([A-Za-z0-9+/]{40,}=*)/g)].map(
    ([, type = "", key = ""]) => `${type} ${key}`,
  );
  const rank = (key: string): number => {
    const at = preferred.indexOf(key.split(" ")[0] ?? "");
    return at < 0 ? preferred.length : at;
  };
  return [...new Set(keys)].toSorted((a, b) => rank(a) - rank(b));
}
