import type { Session } from "../../core/host/frame.ts";
import type { BecomeOptions } from "../../core/inventory/inventory-entries.ts";
import type { Mode } from "../../core/events.ts";
import { Freshness } from "../host/freshness.ts";
import { ControllerChanges } from "../host/controller-changes.ts";
import { Host, type HostListener, type HostState } from "../host/host.ts";
import { Knowledge } from "../host/knowledge.ts";
import type { TaskSession } from "./task-session.ts";
import { type Moment, RunActivity } from "../host/run-activity.ts";
import { HostMutex } from "../host/host-mutex.ts";

/** Opens a session on the named host, with `become`. */
export type OpenNamed = (name: string, become: BecomeOptions | undefined, signal: AbortSignal) => Promise<Session>;

/**
 * The hosts in a run: one session for each privilege used on a host, and one state that all sessions of a host share.
 */
export class Hosts {
  readonly #hosts = new Map<string, Host>();
  readonly #states = new Map<string, HostState>();
  readonly #controller = new ControllerChanges();
  /** The run's activity on all its hosts. */
  readonly activity = new RunActivity();
  #batchBegan: Moment = this.activity.now();
  readonly #open: OpenNamed;
  readonly #heard: (name: string) => HostListener;

  constructor(open: OpenNamed, heard: (name: string) => HostListener) {
    this.#open = open;
    this.#heard = heard;
  }

  /** Returns the host with the session for this privilege. */
  get(name: string, { become, user }: TaskSession): Host {
    const key = `${name} ${become === undefined ? "" : `${become.method ?? ""}:${become.user ?? "root"}`}`;
    const known = this.#hosts.get(key);
    if (known) return known;
    const state = this.#states.get(name) ?? {
      knowledge: new Knowledge(this.#controller),
      mutex: new HostMutex(),
      sessions: new Set(),
    };
    this.#states.set(name, state);
    const host = new Host(name, user, state, (signal) => this.#open(name, become, signal), this.#heard(name));
    this.#hosts.set(key, host);
    return host;
  }

  /**
   * Begins a batch of a play. In a run, if an earlier batch or play did something, or took a long time, every host is
   * read again. Returns a function that creates the freshness of one host in the batch.
   */
  beginBatch(mode: Mode): () => Freshness {
    if (mode === "apply" && this.activity.isSince(this.#batchBegan)) {
      for (const { knowledge } of this.#states.values()) knowledge.forget(["everything"]);
    }
    const began = this.activity.now();
    this.#batchBegan = began;
    return () => new Freshness(this.activity, began);
  }

  /** All sessions of one host. */
  of(name: string): Host[] {
    return [...this.#hosts.values()].filter((host) => host.name === name);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#hosts.values()].map((host) => host.close()));
  }
}
