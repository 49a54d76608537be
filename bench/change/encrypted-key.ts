import { execFileSync } from "node:child_process";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Targets } from "../hosts/targets.ts";
import { measuredWell } from "../measure/program.ts";
import { median } from "../measure/statistics.ts";
import { furrowRun } from "../tools/furrow/furrow.ts";

/**
 * Measures what a passphrase on the key costs the controller: the extra CPU time, in milliseconds, compared with a run
 * that uses the same key unencrypted.
 */
export async function encryptedKeyMs(targets: Targets, folder: string, rounds: number): Promise<number> {
  const passphrase = "a passphrase of the benchmark";
  const identityFile = join(folder, "encrypted_key");
  copyFileSync(targets.identityFile, identityFile);
  const words = ["-q", "-p", "-f", identityFile, "-P", "", "-N", passphrase];
  execFileSync("ssh-keygen", words);
  const passphraseFile = join(folder, "passphrase");
  writeFileSync(passphraseFile, passphrase, { mode: 0o600 });
  const file = join(folder, "encrypted.json");
  writeFileSync(file, JSON.stringify({ ...targets, identityFile, passphraseFile }));
  const playbook = join(import.meta.dirname, "../tools/furrow/one.ts");
  const cpuMs = async (to: Targets): Promise<number> => {
    const taken: number[] = [];
    for (let round = 0; round < rounds; round += 1) taken.push((await measuredWell(furrowRun(playbook, to))).cpuMs);
    return median(taken);
  };
  await cpuMs(targets);
  return Math.round((await cpuMs({ ...targets, file })) - (await cpuMs(targets)));
}
