import { median } from "../measure/statistics.ts";
import { type Workload, workloads } from "../workloads/workloads.ts";
import { tools } from "../tools/tools.ts";
import type { Cell, Figures } from "./figures.ts";
import { goals, roundTrips, ratiosOf } from "./goals.ts";

/** All tables as Markdown. */
export function asMarkdown(figures: Figures): string {
  const machine = Object.entries(figures.machine).map(([name, value]) => `${name} ${value}`);
  const real = Object.entries(figures.rttMs).map(([meant, is]) => `${is} ms for ${meant} ms`);
  const tables = workloads.filter(({ id }) => figures.cells.some((cell) => cell.workload === id));
  const head = ["goal", "target", "measured"];
  const rows = goals(figures).map(({ what, wanted, measured }) => [what, wanted, measured ?? "not measured"]);
  return [
    `Machine: ${machine.join(", ")}. Measured round-trip times: ${real.join(", ")}.`,
    "### Goals for furrow",
    markdown(head, rows),
    ...alone(figures),
    ...tables.map((workload) => table(workload, figures)),
  ].join("\n\n");
}

/** The number of rounds and the machine's load for the two benchmarks that measure only furrow. */
function alone({ start, scale }: Figures): string[] {
  const lines = [
    start && `\`start\`: medians of ${start.runs} pairs, load ${start.load}.`,
    scale && `\`scale\`: medians of ${scale.runs} rounds, load ${scale.load}.`,
  ].filter((line) => line !== undefined);
  return lines.length === 0 ? [] : [lines.join(" ")];
}

function table(workload: Workload, figures: Figures): string {
  const cells = figures.cells.filter((cell) => cell.workload === workload.id);
  const rtts = [...new Set(cells.map(({ rttMs }) => rttMs))].toSorted((a, b) => a - b);
  const names = tools.map(({ name }) => name).filter((name) => cells.some(({ tool }) => tool === name));
  const remarks = figures.remarks.filter((remark) => remark.workload === workload.id);
  const walls = rtts.map((rtt) => `wall at ${rtt} ms`);
  const head = [
    "",
    ...walls,
    "× furrow",
    "round trips",
    "CPU",
    "hosts' CPU",
    "memory",
    "connections, channels",
    "kB out, in",
  ];
  const loads = cells.map((cell) => cell.load);
  const taken = [...new Set(cells.map(({ series }) => series.replace("T", " ")))].join(", ");
  return [
    `### ${workload.id}. ${workload.title}`,
    markdown(
      head,
      names.map((tool) => row(tool, workload.id, rtts, figures)),
    ),
    `Rounds: ${rounds(cells)}. Load: ${Math.min(...loads)} to ${Math.max(...loads)}. Taken ${taken} UTC.`,
    ...remarks.map(({ tool, text }) => `- ${tool}: ${text}`),
  ].join("\n\n");
}

function row(tool: string, workload: string, rtts: readonly number[], figures: Figures): string[] {
  const cells = rtts.map((rtt) =>
    figures.cells.find((cell) => cell.tool === tool && cell.workload === workload && cell.rttMs === rtt),
  );
  const [near] = cells;
  const look = figures.looks.find((it) => it.tool === tool && it.workload === workload);
  const ratios = ratiosOf(figures, workload, tool, "furrow");
  const ratio = (rtt: number): string => {
    const times = ratios.get(rtt);
    return times === undefined ? "–" : times.toFixed(times < 10 ? 2 : 0);
  };
  const cpu = (name: "cpuMs" | "hostCpuMs"): string =>
    near === undefined ? "–" : `${(median(near[name]) / 1000).toFixed(2)} s`;
  return [
    tool.replace("-", ", "),
    ...cells.map((cell) => (cell === undefined ? "–" : seconds(cell.wallMs))),
    tool === "furrow" ? "1" : rtts.map(ratio).join(", "),
    roundTrips(figures, workload, tool)?.toFixed(1) ?? "–",
    cpu("cpuMs"),
    cpu("hostCpuMs"),
    look === undefined ? "–" : `${Math.round(look.peakBytes / 2 ** 20)} MiB`,
    look === undefined ? "–" : `${look.connections}, ${look.sessions}`,
    look === undefined ? "–" : `${kilobytes(look.bytesOut)}, ${kilobytes(look.bytesIn)}`,
  ];
}

function seconds(times: readonly number[]): string {
  const text = (ms: number): string => (ms / 1000).toFixed(ms < 10_000 ? 2 : 1);
  return `${text(median(times))} s (${text(Math.min(...times))}–${text(Math.max(...times))})`;
}

function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(bytes < 1e5 ? 1 : 0);
}

function rounds(cells: readonly Cell[]): string {
  const counts = new Map<number, Set<string>>();
  for (const { tool, wallMs } of cells) counts.set(wallMs.length, (counts.get(wallMs.length) ?? new Set()).add(tool));
  return [...counts]
    .map(([count, names]) => `${count} ${names.size > 1 ? "each " : ""}for ${listed([...names])}`)
    .join("; ");
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(3, title.length, ...rows.map((cells) => cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(head), `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...rows.map(line)].join("\n");
}
