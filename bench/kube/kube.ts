import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { ApiServer } from "../../test/kube/server/api-server.ts";
import { type Measured, measuredWell } from "../measure/program.ts";
import { load } from "../measure/rounds.ts";
import { median } from "../measure/statistics.ts";
import type { BenchOptions } from "../options.ts";
import { type KubeTool, kubeTools } from "./tools.ts";

/** How many objects a manifest has, and in how many rounds it is applied. */
const sizes: readonly (readonly [objects: number, rounds: number])[] = [
  [500, 3],
  [5000, 1],
];

/** One tool's runs with a given number of objects. */
interface Row {
  readonly tool: string;
  readonly objects: number;
  readonly when: "first run" | "converged";
  readonly wallMs: number;
  readonly cpuMs: number;
  /** Requests to the API for each object. */
  readonly requests: number;
}

/**
 * Measures what it takes to apply a manifest of ConfigMaps to a real API server on this machine: time, and requests to
 * the API. Each tool and round has a separate namespace. Every run is a separate process.
 */
export async function kube({ json, runs }: BenchOptions): Promise<void> {
  const { tools, left } = kubeTools();
  const folder = mkdtempSync(join(tmpdir(), "furrow-bench-kube-"));
  const server = await ApiServer.up({ onlyBuiltIn: true });
  try {
    const rows: Row[] = [];
    for (const [objects, rounds] of sizes) {
      const taken = new Map<KubeTool, { first: Taken[]; converged: Taken[] }>();
      for (const tool of tools) taken.set(tool, { first: [], converged: [] });
      for (let round = 0; round < (runs ?? rounds); round += 1) {
        for (const [tool, own] of round % 2 === 0 ? taken : [...taken].toReversed()) {
          const namespace = `${tool.name}-${objects}-${round}`;
          server.kubectl(["create", "namespace", namespace]);
          const manifest = join(folder, `${namespace}.yaml`);
          writeFileSync(manifest, manifestOf(namespace, objects));
          own.first.push(await take(server, tool, manifest));
          own.converged.push(await take(server, tool, manifest));
        }
      }
      for (const [{ name }, { first, converged }] of taken) {
        rows.push(row(name, objects, "first run", first), row(name, objects, "converged", converged));
      }
    }
    process.stdout.write(json ? `${JSON.stringify({ benchmark: "kube", load: load(), rows })}\n` : asText(rows, left));
  } finally {
    await server.down();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Taken extends Measured {
  readonly requests: number;
}

async function take(server: ApiServer, tool: KubeTool, manifest: string): Promise<Taken> {
  const before = requestsOf(server);
  const measured = await measuredWell(tool.program(server.kubeconfig(), manifest));
  return { ...measured, requests: requestsOf(server) - before };
}

/** The requests that clients have sent so far, according to the server's own audit log. */
function requestsOf({ folder }: ApiServer): number {
  const log = readFileSync(join(folder, "audit.log"), "utf8");
  return log.match(/"username":"admin"/g)?.length ?? 0;
}

function manifestOf(namespace: string, objects: number): string {
  const one = (at: number): object => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `config-${at}`, namespace, labels: { app: "shop" } },
    data: { color: "green", number: String(at), text: "a line of a config file\n".repeat(10) },
  });
  return Array.from({ length: objects }, (_, at) => stringify(one(at))).join("---\n");
}

function row(tool: string, objects: number, when: Row["when"], runs: readonly Taken[]): Row {
  const middle = (value: (run: Taken) => number): number => Math.round(median(runs.map(value)));
  return {
    tool,
    objects,
    when,
    wallMs: middle(({ wallMs }) => wallMs),
    cpuMs: middle(({ cpuMs }) => cpuMs),
    requests: Number((median(runs.map(({ requests }) => requests)) / objects).toFixed(3)),
  };
}

function asText(rows: readonly Row[], left: string): string {
  const lines = rows.map(({ tool, objects, when, wallMs, cpuMs, requests }) => {
    const own = rows.find((other) => other.tool === "furrow" && other.objects === objects && other.when === when);
    const times = own === undefined || tool === "furrow" ? "" : `  ${(wallMs / own.wallMs).toFixed(1)} × furrow`;
    const cells = [String(objects).padStart(6), when.padEnd(10), tool.padEnd(8), `${wallMs} ms`.padStart(10)];
    return `${cells.join("  ")}  CPU ${cpuMs} ms  ${requests} requests per object${times}`;
  });
  const end = left === "" ? "" : `${left}\n`;
  return `medians, whole processes; load ${load()}\n${lines.join("\n")}\n${end}`;
}
