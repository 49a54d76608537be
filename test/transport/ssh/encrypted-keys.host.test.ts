import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { userInfo } from "node:os";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readIdentity } from "../../../src/transport/ssh/login/identity.ts";
import { covered } from "../../covered.ts";
import { makeKey, publicKey, removeFolders, type Sshd, startSshd, temporaryFolder } from "../sshd.ts";

const root = join(import.meta.dirname, "../../..");
const folder = temporaryFolder();
const plain = makeKey(folder, "plain");
const locked = makeKey(folder, "locked", "ed25519", "open sesame", "-a", "24");
let sshd: Sshd;

beforeAll(async () => {
  sshd = await startSshd({ authorizedKeys: [plain, locked] });
});
afterAll(async () => {
  await sshd.stop();
  removeFolders();
});

/** Seconds of CPU time that `furrow ping` takes with a key, not counting this machine's sshd. */
function cpuSeconds(key: string): number {
  const inventory = join(folder, "inventory.ts");
  const connection = {
    address: "127.0.0.1",
    port: sshd.port,
    user: userInfo().username,
    identityFile: key,
    hostKeyPolicy: "off",
  };
  writeFileSync(
    inventory,
    `import { inventory, secret } from ${JSON.stringify(join(root, "src/authoring.ts"))};
export default inventory({ hosts: { web1: { ...${JSON.stringify(connection)}, passphrase: secret.env("FURROW_TEST_PHRASE") } } });\n`,
  );
  const furrow = `${process.execPath} ${join(root, "bin/furrow.js")} ping -i ${inventory} all`;
  const script = `exec 3>&1; TIMEFORMAT='%U %S'; time ${furrow} >&3 2>&3`;
  const said = execFileSync("bash", ["-c", `{ ${script}; } 2>&1`], {
    encoding: "utf8",
    env: { ...process.env, HOME: folder, SSH_AUTH_SOCK: "", FURROW_TEST_PHRASE: "open sesame" },
  });
  expect(said).toContain("web1");
  const [user = "", system = ""] = said.trim().split("\n").at(-1)?.split(" ") ?? [];
  return Number(user) + Number(system);
}

test("an encrypted key costs at most a second more CPU time than a plain key", () => {
  cpuSeconds(plain);
  const [without, encrypted] = [cpuSeconds(plain), cpuSeconds(locked)];
  covered(`a key with 24 rounds of bcrypt: ${(encrypted - without).toFixed(2)} s of CPU`);
  expect(encrypted - without).toBeLessThan(1);
});

describe("keys that ssh-keygen encrypts", () => {
  const ciphers = ["aes128-cbc", "aes192-cbc", "aes256-cbc", "aes128-ctr", "aes192-ctr", "aes256-ctr"];
  const sealed = ["aes128-gcm@openssh.com", "aes256-gcm@openssh.com"];
  const types = [
    ["ed25519", []],
    ["ecdsa", ["-b", "384"]],
    ["rsa", ["-b", "2048"]],
  ] as const;

  test.each([...ciphers, ...sealed])("can be read only with the right passphrase: %s", async (cipher) => {
    for (const [type, more] of types) {
      const path = makeKey(folder, `${type}-${cipher}`, type, "open sesame", "-Z", cipher, "-a", "1", ...more);
      const { key, publicKey: known } = await readIdentity(path, "open sesame");
      const told = publicKey(path).split(" ")[1];
      expect(key?.getPublicSSH().toString("base64")).toBe(told);
      expect(known?.toString("base64")).toBe(told);
      const data = Buffer.from("to be signed");
      expect(key?.verify(data, key.sign(data))).toBe(true);
      expect(await readIdentity(path, "wrong")).toMatchObject({ problem: "wrong passphrase" });
      expect(await readIdentity(path, undefined)).toMatchObject({ problem: "encrypted" });
    }
  });
});
