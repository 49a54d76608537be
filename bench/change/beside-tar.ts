import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LabHost } from "furrow/lab";
import type { Targets } from "../hosts/targets.ts";
import type { Measured } from "../measure/program.ts";
import { ratios } from "../measure/rounds.ts";
import { median, ratioOfRounds } from "../measure/statistics.ts";
import { furrowRun } from "../tools/furrow/furrow.ts";
import { fresh } from "./fresh.ts";
import { changedPath } from "./places.ts";

/** Wall times in milliseconds for a tree that does not exist on the host yet. */
export interface BesideTar {
  readonly furrowMs: number;
  readonly tarMs: number;
  /** The median ratio over all pairs of rounds; undefined for a single round. */
  readonly ratio: number | undefined;
}

/** Times `directoryTree` and tar over ssh on the same tree, alternately. */
export async function besideTar(host: LabHost, targets: Targets, source: string, rounds: number): Promise<BesideTar> {
  const name = targets.hosts[0]?.name ?? "";
  const unpack = `mkdir -p ${changedPath} && tar -xp -C ${changedPath}`;
  const tar = { argv: ["/bin/sh", "-c", `tar -c -C ${source} . | ssh -F ${targets.sshConfig} ${name} '${unpack}'`] };
  const tree = furrowRun(join(import.meta.dirname, "tree-playbook.ts"), targets, "--var", `source=${source}`);
  const pairs = { furrow: [] as Measured[], tar: [] as Measured[] };
  for (let count = 0; count <= rounds; count += 1) {
    const taken = { furrow: await fresh(host, tree), tar: await fresh(host, tar) };
    // The first round warms caches.
    if (count > 0) for (const tool of ["furrow", "tar"] as const) pairs[tool].push(taken[tool]);
  }
  const wall = (list: readonly Measured[]): number => Math.round(median(list.map(({ wallMs }) => wallMs)));
  const ratio = ratioOfRounds(ratios(pairs.furrow, pairs.tar));
  return {
    furrowMs: wall(pairs.furrow),
    tarMs: wall(pairs.tar),
    ratio: ratio === undefined ? undefined : Number(ratio.toFixed(2)),
  };
}

/** Writes 200 files of 64 KiB in 20 directories. Returns the folder. */
export function makeTree(folder: string): string {
  for (let number = 0; number < 200; number += 1) {
    const directory = join(folder, `part-${number % 20}`);
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, `file-${number}`), randomBytes(65_536));
  }
  return folder;
}
