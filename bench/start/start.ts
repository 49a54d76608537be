import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { labDown, labUp } from "furrow/lab";
import type { StartFigures, StartRow } from "../compare/own-figures.ts";
import { keepFigures } from "../compare/store.ts";
import { hostsOfLab, prepareSshd } from "../hosts/lab-hosts.ts";
import { reach } from "../hosts/targets.ts";
import { startCable } from "../link/cable.ts";
import { inTurns, load, ratios } from "../measure/rounds.ts";
import { ratioOfRounds, spread, type Spread } from "../measure/statistics.ts";
import type { BenchOptions } from "../options.ts";
import { furrow, furrowRun } from "../tools/furrow/furrow.ts";

/**
 * Measures how fast furrow starts: `--version` compared with an empty Node program, and one converged task compared
 * with `ssh host true`.
 */
export async function start(options: BenchOptions): Promise<void> {
  const { json, runs, rtts } = options;
  const rounds = runs ?? 15;
  const folder = mkdtempSync(join(tmpdir(), "furrow-bench-"));
  const lab = await labUp({ hosts: 1, name: options.lab });
  try {
    await prepareSshd(lab);
    const rows = await words(rounds);
    for (const rttMs of rtts ?? [0, 26, 100]) {
      const cable = rttMs === 0 ? undefined : startCable({ rttMs, ...options.cable });
      const targets = await reach(hostsOfLab(lab), join(folder, String(rttMs)), cable);
      const name = targets.hosts[0]?.name ?? "";
      const runsOf = await inTurns(
        {
          ssh: { argv: ["ssh", "-F", targets.sshConfig, name, "true"] },
          furrow: furrowRun(join(import.meta.dirname, "../tools/furrow/one.ts"), targets),
        },
        rounds,
      );
      rows.push(row(`converged run of 1 task, ${rttMs} ms away`, runsOf.furrow, "ssh host true", runsOf.ssh));
      cable?.close();
    }
    const figures: StartFigures = { benchmark: "start", runs: rounds, load: load(), rows };
    if (rtts === undefined) keepFigures({ start: figures });
    process.stdout.write(json ? `${JSON.stringify(figures)}\n` : asText(rows, rounds));
  } finally {
    await labDown({ name: options.lab });
    rmSync(folder, { recursive: true, force: true });
  }
}

async function words(rounds: number): Promise<StartRow[]> {
  const node = { argv: [process.execPath, "-e", "0"] };
  const runs = await inTurns({ node, version: furrow("--version"), help: furrow("--help") }, rounds);
  return [
    row("furrow --version", runs.version, "node -e 0", runs.node),
    row("furrow --help", runs.help, "node -e 0", runs.node),
  ];
}

type Runs = Parameters<typeof ratios>[0];

function row(what: string, over: Runs, beside: string, under: Runs): StartRow {
  return {
    what,
    wallMs: spread(over.map(({ wallMs }) => wallMs)),
    cpuMs: spread(over.map(({ cpuMs }) => cpuMs)),
    beside,
    besideMs: spread(under.map(({ wallMs }) => wallMs)),
    ratio: ratioOfRounds(ratios(over, under)),
  };
}

function asText(rows: readonly StartRow[], rounds: number): string {
  const range = ({ median: middle, min, max }: Spread): string => `${middle} ms (${min} to ${max})`;
  const lines = rows.map(({ what, wallMs, cpuMs, beside, besideMs, ratio }) =>
    [
      what.padEnd(38),
      range(wallMs).padEnd(22),
      `CPU ${cpuMs.median} ms  `,
      `${beside} ${range(besideMs)}  ratio ${ratio?.toFixed(2) ?? "–"}`,
    ].join(""),
  );
  return `medians of ${rounds} pairs of runs, whole processes; load ${load()}\n${lines.join("\n")}\n`;
}
