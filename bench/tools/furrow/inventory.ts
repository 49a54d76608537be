/** The benchmark hosts, read from the file that BENCH_TARGETS names. */
import { readFileSync } from "node:fs";
import { inventory, secret } from "furrow";
import type { Targets } from "../../hosts/targets.ts";

const { hosts, identityFile, knownHostsFile, passphraseFile } = JSON.parse(
  readFileSync(process.env["BENCH_TARGETS"] ?? "targets.json", "utf8"),
) as Targets & { readonly passphraseFile?: string };

export default inventory({
  hosts: Object.fromEntries(hosts.map(({ name, address, port }) => [name, { address, port }])),
  user: "root",
  identityFile,
  knownHostsFile,
  ...(passphraseFile !== undefined && { passphrase: secret.file(passphraseFile) }),
});
