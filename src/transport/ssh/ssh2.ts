import type ssh2 from "ssh2";

/** ssh2, loaded when the first connection is made: it takes a tenth of a second, which `--help` need not pay. */
export async function loadSsh2(): Promise<typeof ssh2> {
  const module = await import("ssh2");
  return module.default;
}
