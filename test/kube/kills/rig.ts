import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Counts, Outcome, RunEvent } from "../../../src/core/events.ts";
import { type Actor, apply, play } from "../actors.ts";
import { backupKinds, supportBundleKind } from "../backup-kinds.ts";
import { cephClusterKind, snapshotClassKind } from "../ceph/ceph-kinds.ts";
import { addonKind, deviceKinds } from "../device-kinds.ts";
import { imageKind, migrationKinds, networkKinds, runningKinds, settingKind } from "../harvester-kinds.ts";
import { ApiServer } from "../server/api-server.ts";
import { kubeconfigText } from "../server/certificates.ts";
import { LethalProxy } from "../server/lethal-proxy.ts";
import { argoKinds } from "../settings/argo-kinds.ts";
import { plainKind, rancherSettingKind } from "../settings/rancher-kinds.ts";
import { Stage } from "./stage.ts";

const kinds: readonly object[] = [
  ...networkKinds,
  imageKind,
  settingKind,
  ...runningKinds,
  ...migrationKinds,
  ...backupKinds,
  addonKind,
  ...deviceKinds,
  supportBundleKind,
  ...argoKinds,
  cephClusterKind,
  snapshotClassKind,
  rancherSettingKind,
  plainKind("management.cattle.io", "v3", "Token", "Cluster"),
];

const namespaces = ["harvester-system", "argocd", "cattle-global-data"];

/** The result of a run of furrow. */
export interface Run {
  /** What each task did, in order. */
  readonly tasks: readonly { readonly title: string; readonly outcome: Outcome }[];
  readonly counts: Counts;
  /** The complete output of the run, to explain a failure. */
  readonly text: string;
}

/** An API server with all kinds, behind a proxy that can kill furrow. */
export class Rig {
  readonly server: ApiServer;
  readonly proxy: LethalProxy;
  readonly stage: Stage;

  private constructor(server: ApiServer, proxy: LethalProxy, stage: Stage) {
    this.server = server;
    this.proxy = proxy;
    this.stage = stage;
  }

  /** Starts a server. */
  static async up(): Promise<Rig> {
    const server = await ApiServer.up();
    const proxy = await LethalProxy.up(server.folder, server.url);
    apply(server, ...kinds, ...namespaces.map((name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } })));
    server.kubectl(["wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"]);
    const rig = new Rig(server, proxy, await Stage.open(server));
    writeFileSync(rig.kubeconfig, kubeconfigText(server.folder, "admin", proxy.url));
    return rig;
  }

  /** The kubeconfig with which furrow reaches the server through the proxy. */
  get kubeconfig(): string {
    return join(this.server.folder, "proxy.kubeconfig");
  }

  /**
   * Runs a playbook as a process. With `killAt`, the process is killed after the response to that request. Returns
   * undefined if the process was killed.
   */
  async run(playbook: string, vars: object, { check = false, killAt = 0 } = {}): Promise<Run | undefined> {
    const file = join(this.server.folder, "vars.json");
    writeFileSync(file, JSON.stringify({ kubeconfig: this.kubeconfig, ...vars }));
    const options = ["-i", "local", "--var", `@${file}`, "--json", ...(check ? ["--check"] : [])];
    const args = ["bin/furrow.js", "run", `playbooks/${playbook}.ts`, ...options];
    let child: ChildProcess | undefined = undefined;
    this.proxy.arm(killAt, () => child?.kill("SIGKILL"));
    const started = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    child = started;
    let text = "";
    for (const stream of [started.stdout, started.stderr])
      stream.on("data", (part: Buffer) => (text += part.toString()));
    const [, signal] = (await once(started, "close")) as [number | null, string | null];
    return signal === null ? runIn(text) : undefined;
  }

  /** Stops everything. */
  async down(): Promise<void> {
    this.stage.close();
    await this.proxy.down();
    await this.server.down();
  }
}

const root = join(import.meta.dirname, "../../..");

const none: Counts = { ok: 0, changed: 0, skipped: 0, failed: 0, unreachable: 0, undecided: 0 };

function runIn(text: string): Run {
  const events = text.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as RunEvent] : []));
  const tasks = events.flatMap((event) =>
    event.type === "taskFinished" ? [{ title: event.task.title, outcome: event.outcome }] : [],
  );
  const end = events.find((event) => event.type === "runFinished");
  return { tasks, counts: end?.recap[0]?.counts ?? { ...none, failed: 1 }, text };
}

/** Actors that act while furrow is running. */
export class Cast {
  readonly #stop = new AbortController();
  readonly #played: Promise<void>;
  #rounds = 0;

  constructor(server: ApiServer, actors: readonly Actor[]) {
    this.#played = play(server, this.#stop.signal, ...actors, () => (this.#rounds += 1));
  }

  /** Waits until each actor has seen the current objects, and the changes that the other actors made. */
  async settled(): Promise<void> {
    const enough = this.#rounds + 3;
    while (this.#rounds < enough) await Promise.race([new Promise((done) => setTimeout(done, 100)), this.#failed()]);
  }

  /** Stops the actors. */
  async end(): Promise<void> {
    this.#stop.abort();
    await this.#played;
  }

  /** Rejects once the actors have stopped, with the error that stopped them if there is one. */
  async #failed(): Promise<never> {
    await this.#played;
    throw new Error("the actors have stopped");
  }
}
