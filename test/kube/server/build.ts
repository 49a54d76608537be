/**
 * `node build.ts [SECONDS]`: builds the API servers for the suite `kube`, so that the suite finds them in the cache;
 * the server for custom kinds comes last. Waits up to SECONDS for mmdebstrap, which another program may be installing.
 */
import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { customBinary, kubeBinaries, packageVersion } from "./binaries.ts";

const end = Date.now() + Number(process.argv[2] ?? 0) * 1000;
while (!existsSync("/usr/bin/mmdebstrap") && Date.now() < end) await pause(1000);
await kubeBinaries();
process.stdout.write(`API server: ${packageVersion}\n`);
const custom = await customBinary();
process.stdout.write(`API server for custom kinds: ${custom?.version ?? "the same"}\n`);
