import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { ApiServer } from "../../test/kube/server/api-server.ts";
import { type Cable, startCable } from "../link/cable.ts";
import { type Measured, measuredWell, type Program } from "../measure/program.ts";
import { load } from "../measure/rounds.ts";
import { median } from "../measure/statistics.ts";
import type { BenchOptions } from "../options.ts";
import { type KubeTool, kubeTools } from "./tools.ts";

/**
 * The numbers of objects in a manifest, each with its number of rounds and the longest round-trip time at which it is
 * measured. The limit exists because a client that asks for thousands of objects, one after another, would take
 * minutes.
 */
const sizes: readonly { readonly objects: number; readonly rounds: number; readonly mostRttMs: number }[] = [
  { objects: 500, rounds: 3, mostRttMs: Number.POSITIVE_INFINITY },
  { objects: 5000, rounds: 1, mostRttMs: 1 },
];

/** One tool's runs with a given number of objects. */
interface Row {
  readonly tool: string;
  readonly objects: number;
  /** Round-trip time to the API server, in milliseconds. */
  readonly rttMs: number;
  readonly when: "first run" | "converged";
  readonly wallMs: number;
  readonly cpuMs: number;
  /** Requests to the API for each object. */
  readonly requests: number;
}

/**
 * Measures what it takes to apply a manifest of ConfigMaps to a real API server, on this machine and at a distance:
 * time, and requests to the API. Each tool and round has a separate namespace. Every run is a separate process.
 */
export async function kube({ json, runs, rtts = [0, 26], cable }: BenchOptions): Promise<void> {
  const { tools, left } = kubeTools();
  const folder = mkdtempSync(join(tmpdir(), "furrow-bench-kube-"));
  const server = await ApiServer.up({ onlyBuiltIn: true });
  const cables: Cable[] = [];
  try {
    const rows: Row[] = [];
    for (const rttMs of rtts.length === 0 ? [0] : rtts) {
      const kubeconfig = join(folder, `${rttMs}.kubeconfig`);
      const far = rttMs === 0 ? undefined : startCable({ ...cable, rttMs });
      if (far !== undefined) cables.push(far);
      writeFileSync(kubeconfig, await kubeconfigOf(server, far));
      for (const { objects, rounds, mostRttMs } of sizes) {
        if (rttMs <= mostRttMs) {
          rows.push(...(await measure({ tools, server, kubeconfig, objects, rttMs, rounds: runs ?? rounds })));
        }
      }
    }
    process.stdout.write(json ? `${JSON.stringify({ benchmark: "kube", load: load(), rows })}\n` : asText(rows, left));
  } finally {
    for (const far of cables) far.close();
    await server.down();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The administrator's kubeconfig; with a cable, the server's address in it is the cable's near end. */
async function kubeconfigOf(server: ApiServer, cable: Cable | undefined): Promise<string> {
  const text = readFileSync(server.kubeconfig(), "utf8");
  if (cable === undefined) return text;
  const { hostname, port } = new URL(server.url);
  const [near] = await cable.lay([{ address: hostname, port: Number(port) }]);
  return text.replaceAll(server.url, `https://127.0.0.1:${near}`);
}

/** What is measured, and how often. */
interface Series {
  readonly tools: readonly KubeTool[];
  readonly server: ApiServer;
  readonly kubeconfig: string;
  readonly objects: number;
  readonly rttMs: number;
  readonly rounds: number;
}

/** Runs all tools, one after another in each round, and in the opposite order in every second round. */
async function measure({ tools, server, kubeconfig, objects, rttMs, rounds }: Series): Promise<readonly Row[]> {
  const taken = new Map<KubeTool, { first: Taken[]; converged: Taken[] }>();
  for (const tool of tools) taken.set(tool, { first: [], converged: [] });
  for (let round = 0; round < rounds; round += 1) {
    for (const [tool, own] of round % 2 === 0 ? taken : [...taken].toReversed()) {
      const namespace = `${tool.name}-${objects}-${rttMs}-${round}`.replaceAll(".", "-");
      server.kubectl(["create", "namespace", namespace]);
      const manifest = `${kubeconfig}-${namespace}.yaml`;
      writeFileSync(manifest, manifestOf(namespace, objects));
      const program = tool.program(kubeconfig, manifest);
      own.first.push(await take(server, program));
      own.converged.push(await take(server, program));
    }
  }
  return [...taken].flatMap(([{ name }, { first, converged }]) => {
    const what = { tool: name, objects, rttMs };
    return [row(what, "first run", first), row(what, "converged", converged)];
  });
}

interface Taken extends Measured {
  readonly requests: number;
}

async function take(server: ApiServer, program: Program): Promise<Taken> {
  const before = requestsOf(server);
  const measured = await measuredWell(program);
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

function row(what: Pick<Row, "tool" | "objects" | "rttMs">, when: Row["when"], runs: readonly Taken[]): Row {
  const middle = (value: (run: Taken) => number): number => Math.round(median(runs.map(value)));
  return {
    ...what,
    when,
    wallMs: middle(({ wallMs }) => wallMs),
    cpuMs: middle(({ cpuMs }) => cpuMs),
    requests: Number((median(runs.map(({ requests }) => requests)) / what.objects).toFixed(3)),
  };
}

function asText(rows: readonly Row[], left: string): string {
  const lines = rows.map(({ tool, objects, rttMs, when, wallMs, cpuMs, requests }) => {
    const own = rows.find(
      (other) => other.tool === "furrow" && other.objects === objects && other.rttMs === rttMs && other.when === when,
    );
    const times = own === undefined || tool === "furrow" ? "" : `  ${(wallMs / own.wallMs).toFixed(1)} × furrow`;
    const place = [String(objects).padStart(6), `${rttMs} ms away`.padStart(10), when.padEnd(10), tool.padEnd(8)];
    return `${place.join("  ")}  ${`${wallMs} ms`.padStart(10)}  CPU ${cpuMs} ms  ${requests} requests per object${times}`;
  });
  const end = left === "" ? "" : `${left}\n`;
  return `medians, whole processes; load ${load()}\n${lines.join("\n")}\n${end}`;
}
