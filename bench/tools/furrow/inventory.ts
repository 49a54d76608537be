/** The hosts of a benchmark: BENCH_TARGETS names the file that tells of them. */
import { readFileSync } from "node:fs";
import { inventory } from "furrow";
import type { Targets } from "../../hosts/targets.ts";

const { hosts, identityFile, knownHostsFile } = JSON.parse(
  readFileSync(process.env["BENCH_TARGETS"] ?? "targets.json", "utf8"),
) as Targets;

export default inventory({
  hosts: Object.fromEntries(hosts.map(({ name, address, port }) => [name, { address, port }])),
  user: "root",
  identityFile,
  knownHostsFile,
});
