import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { median, slope } from "../measure/statistics.ts";
import { type Workload, workloads } from "../workloads/workloads.ts";
import type { Cell, Figures } from "./figures.ts";

const file = join(import.meta.dirname, "../README.md");
const marks = { begin: "<!-- figures: npm run bench -->", end: "<!-- /figures -->" };

/** Writes the figures into bench/README.md, between two marks; returns what was written. */
export function writeReadme(figures: Figures): string {
  const text = asMarkdown(figures);
  const page = readFileSync(file, "utf8");
  const begin = page.indexOf(marks.begin) + marks.begin.length;
  writeFileSync(file, `${page.slice(0, begin)}\n\n${text}\n${page.slice(page.indexOf(marks.end))}`);
  return text;
}

/** All tables as Markdown. */
export function asMarkdown(figures: Figures): string {
  const machine = Object.entries(figures.machine).map(([name, value]) => `${name} ${value}`);
  const real = Object.entries(figures.rttMs).map(([meant, is]) => `${is} ms for ${meant}`);
  const tables = workloads.filter(({ id }) => figures.cells.some((cell) => cell.workload === id));
  return [
    `Machine: ${machine.join(", ")}. Round trips of the cables, measured: ${real.join(", ")}.`,
    ...tables.map((workload) => table(workload, figures)),
    "",
  ].join("\n\n");
}

function table(workload: Workload, figures: Figures): string {
  const cells = figures.cells.filter((cell) => cell.workload === workload.id);
  const rtts = [...new Set(cells.map(({ rttMs }) => rttMs))].toSorted((a, b) => a - b);
  const names = [...new Set(cells.map(({ tool }) => tool))];
  const remarks = figures.remarks.filter((remark) => remark.workload === workload.id);
  const head = [
    "",
    ...rtts.map((rtt) => `wall at ${rtt} ms`),
    "× furrow",
    "round trips",
    "CPU",
    "hosts' CPU",
    "memory",
    "connections / channels",
    "bytes out / in",
  ];
  const rows = names.map((tool) => row(tool, workload.id, rtts, figures));
  const loads = cells.map((cell) => cell.load);
  return [
    `### ${workload.id}. ${workload.title}`,
    markdown(head, rows),
    `Rounds: ${rounds(cells)}. Load of the machine meanwhile: ${Math.min(...loads)} to ${Math.max(...loads)}. Taken ${[...new Set(cells.map(({ series }) => series.replace("T", " ")))].join(", ")} UTC.`,
    ...remarks.map(({ tool, text }) => `- ${tool}: ${text}`),
  ].join("\n\n");
}

function row(tool: string, workload: string, rtts: readonly number[], figures: Figures): string[] {
  const cellAt = (name: string, rttMs: number): Cell | undefined =>
    figures.cells.find((cell) => cell.tool === name && cell.workload === workload && cell.rttMs === rttMs);
  const cells = rtts.map((rtt) => cellAt(tool, rtt));
  const [near] = cells;
  const look = figures.looks.find((it) => it.tool === tool && it.workload === workload);
  const points = cells.flatMap((cell) =>
    cell === undefined ? [] : [{ x: figures.rttMs[cell.rttMs] ?? cell.rttMs, y: Math.min(...cell.wallMs) }],
  );
  const ratio = (rtt: number): string => {
    const [own, furrow] = [cellAt(tool, rtt), cellAt("furrow", rtt)];
    if (own === undefined || furrow === undefined || own.series !== furrow.series) return "–";
    const pairs = own.wallMs.map((wall, round) => wall / (furrow.wallMs[round] ?? Number.NaN));
    return rounded(median(pairs));
  };
  return [
    tool,
    ...cells.map((cell) => (cell === undefined ? "–" : seconds(cell.wallMs))),
    tool === "furrow" ? "1" : rtts.map(ratio).join(" · "),
    points.length > 1 ? slope(points).toFixed(1) : "–",
    near === undefined ? "–" : `${(median(near.cpuMs) / 1000).toFixed(2)} s`,
    near === undefined ? "–" : `${(median(near.hostCpuMs) / 1000).toFixed(2)} s`,
    look === undefined ? "–" : `${Math.round(look.peakBytes / 2 ** 20)} MiB`,
    look === undefined ? "–" : `${look.connections} / ${look.sessions}`,
    look === undefined ? "–" : `${kilobytes(look.bytesOut)} / ${kilobytes(look.bytesIn)}`,
  ];
}

function seconds(times: readonly number[]): string {
  const text = (ms: number): string => (ms / 1000).toFixed(ms < 10_000 ? 2 : 1);
  return `${text(median(times))} s (${text(Math.min(...times))}–${text(Math.max(...times))})`;
}

function rounded(ratio: number): string {
  return ratio < 10 ? ratio.toFixed(2) : ratio.toFixed(0);
}

function kilobytes(bytes: number): string {
  return bytes < 10e6 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function rounds(cells: readonly Cell[]): string {
  const counts = new Map<number, Set<string>>();
  for (const { tool, wallMs } of cells) counts.set(wallMs.length, (counts.get(wallMs.length) ?? new Set()).add(tool));
  return [...counts].map(([count, names]) => `${count} of ${[...names].join(", ")}`).join("; ");
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(3, title.length, ...rows.map((cells) => cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(head), `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...rows.map(line)].join("\n");
}
