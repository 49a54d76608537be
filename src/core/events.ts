import type { Difference } from "./facts/compare.ts";
import type { FurrowError } from "./errors.ts";

/**
 * How a task ended on a host. `undecided`: check mode cannot predict the outcome, because it depends on an earlier
 * task.
 */
export type Outcome = "ok" | "changed" | "skipped" | "failed" | "unreachable" | "undecided";

/** Whether a run changes its hosts: `check` changes nothing, `apply` makes every necessary change. */
export type Mode = "check" | "apply";

/** A task on one host, as reports show it. */
export interface TaskLabel {
  /** The position in the play's list, such as `2.0.13`; stable within a run and host. */
  readonly id: string;
  /** The task module: `file`. */
  readonly module: string;
  /** The driver of the cloud that the task acts on, such as `ec2`; missing for a task that acts on a host. */
  readonly service?: string;
  /** The human-readable title: `file /etc/nginx/nginx.conf`. */
  readonly title: string;
  /** Names of the groups that contain the task, outermost first. */
  readonly path: readonly string[];
  readonly source?: string;
  /** The host that the task acts on, if that is not the play's host. */
  readonly on?: string;
}

/** A fact that changed, or would change. */
export interface FactChange {
  /** `file:/etc/nginx/nginx.conf` */
  readonly fact: string;
  readonly differences: readonly Difference[];
  /** True if the values must not be shown. */
  readonly secret: boolean;
}

/** Counts of outcomes for one host. */
export type Counts = Readonly<Record<Outcome, number>>;

/**
 * How a host's part of a run ended. `stopped`: the run was stopped before the host's last task; `notStarted`: before
 * its first task.
 */
export type HostEnd = "done" | "failed" | "unreachable" | "stopped" | "notStarted";

/** The result of one host's part of a run. */
export interface HostRecap {
  readonly host: string;
  readonly end: HostEnd;
  /** The number of the host's known tasks that were not reached. Missing if `end` is `done`. */
  readonly left?: number;
  /** Title of the first task that was not reached. */
  readonly next?: string;
  readonly counts: Counts;
  /** The number of failures that were ignored, or caught by a rescue. */
  readonly tolerated: number;
  /** Titles of changed tasks whose changes the host reverts, because they were not confirmed. */
  readonly reverted?: readonly string[];
  /** Titles of tasks whose changes were confirmed over a new connection (`--confirm-within`). */
  readonly confirmed?: readonly string[];
  readonly frames: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
  /** Present with `--profile`, if furrow connected to the host. */
  readonly profile?: HostProfile;
}

/**
 * A breakdown of the time spent on one host. The rest of the run's time, beyond `connectMs` and `frameMs`, was spent on
 * the controller.
 */
export interface HostProfile {
  /** Milliseconds from the first packet until frames could be sent. */
  readonly connectMs: number;
  /** Milliseconds during which a frame was in progress. */
  readonly frameMs: number;
  /**
   * The part of `frameMs` during which the host worked on the frame, by the host's own clock, to the nearest 10 ms. The
   * rest was spent on the connection.
   */
  readonly hostMs: number;
  /** Processes and threads that were started on the host during this time, including those of other programs. */
  readonly processes: number;
  /** The share of `hostMs` and `processes` that each task's steps used, in the order they were performed. */
  readonly tasks: readonly { readonly title: string; readonly hostMs: number; readonly processes: number }[];
}

/** Everything that happens in a run, as a closed union. Every report is built from these events and nothing else. */
export type RunEvent =
  | {
      readonly type: "runStarted";
      readonly run: string;
      readonly playbook: string;
      readonly mode: Mode;
      readonly hosts: readonly string[];
      readonly version: string;
      /** The command that finishes the work if this run leaves some undone; missing in check mode. */
      readonly rerun?: string;
    }
  /** `empty`: no host has a task in this play, for example because of `--tags`. */
  | {
      readonly type: "playStarted";
      readonly play: string;
      readonly hosts: readonly string[];
      readonly empty?: true;
    }
  /** A batch of a play begins: batch number `batch` of `batches`. Not sent for a play whose hosts all run together. */
  | {
      readonly type: "batchStarted";
      readonly batch: number;
      readonly batches: number;
      readonly hosts: readonly string[];
    }
  /** An attempt to connect failed; furrow tries again until the connect timeout. */
  | { readonly type: "connectRetry"; readonly host: string; readonly error: FurrowError }
  | { readonly type: "hostConnected"; readonly host: string; readonly durationMs: number }
  /** The tasks of a host in the current play are known. */
  | { readonly type: "hostPlanned"; readonly host: string; readonly tasks: number }
  /**
   * A host has finished the current play without a failure. `confirmed`: titles of tasks whose changes were confirmed
   * over a new connection.
   */
  | { readonly type: "hostDone"; readonly host: string; readonly confirmed?: readonly string[] }
  | { readonly type: "taskStarted"; readonly host: string; readonly task: TaskLabel; readonly attempt: number }
  | { readonly type: "stepStarted"; readonly host: string; readonly task: TaskLabel; readonly step: string }
  | {
      readonly type: "stepOutput";
      readonly host: string;
      readonly task: TaskLabel;
      readonly stream: "stdout" | "stderr";
      readonly text: string;
    }
  | {
      readonly type: "taskRetry";
      readonly host: string;
      readonly task: TaskLabel;
      readonly error: FurrowError;
      readonly delaySeconds: number;
    }
  | {
      readonly type: "taskFinished";
      readonly host: string;
      readonly task: TaskLabel;
      readonly outcome: Outcome;
      readonly changes: readonly FactChange[];
      readonly notes: readonly string[];
      /** Why the task was skipped, or what a wait would wait for. */
      readonly because?: string;
      /**
       * `undecided`: the title of the earlier task that decides the outcome, and the facts that are not known yet. If
       * the task's params or its condition are unknown because they come from that earlier task's output, `facts` is
       * `["output"]` or `["condition"]`, and `task` may name several tasks.
       */
      readonly dependsOn?: { readonly task: string; readonly facts: readonly string[] };
      /** `undecided`: what the task wants, if that is known. */
      readonly intends?: readonly FactChange[];
      readonly error?: FurrowError;
      /** True if the failure was ignored. */
      readonly ignored: boolean;
      readonly durationMs: number;
    }
  | {
      readonly type: "hostStopped";
      readonly host: string;
      readonly outcome: "failed" | "unreachable";
      readonly error: FurrowError;
    }
  | {
      readonly type: "rescued";
      readonly host: string;
      readonly group: string;
      readonly error: FurrowError;
      /**
       * The number of task failures that this rescue has caught, including failures in inner groups. These are the
       * host's latest failures.
       */
      readonly failures: number;
    }
  /**
   * `connection`: the connection to the host was lost and furrow is reconnecting, the connection is restored, or furrow
   * is waiting for another run that holds the host. `reverted`: titles of tasks that finished as changed, and whose
   * changes the host reverts.
   */
  | {
      readonly type: "warning";
      readonly host?: string;
      readonly text: string;
      readonly connection?: "lost" | "back" | "held";
      readonly reverted?: readonly string[];
    }
  | { readonly type: "runStopping"; readonly reason: string }
  | {
      readonly type: "runFinished";
      readonly run: string;
      readonly mode: Mode;
      readonly recap: readonly HostRecap[];
      readonly durationMs: number;
      readonly interrupted: boolean;
      /** With `--profile`: CPU time of the controller since its start, in milliseconds. */
      readonly controller?: { readonly cpuMs: number };
    };

/** Receives events in the order in which they happen. */
export type EventSink = (event: RunEvent) => void;
