import type { DriverLookup } from "../../core/host/driver.ts";
import type { FurrowError } from "../../core/errors.ts";
import type { EventSink, HostRecap, Mode } from "../../core/events.ts";
import type { NewHost } from "../../core/inventory/inventory.ts";
import type { BecomeOptions, Vars } from "../../core/inventory/inventory-entries.ts";
import type { HostFacts, Play, Playbook, PlayHost } from "../../core/authoring/playbook.ts";
import type { AttemptFailed } from "../../core/host/transport.ts";
import type { Session } from "../../core/host/frame.ts";
import type { TreeText, TreeEntryAt, TreeHolds, TreeNames } from "./controller-trees.ts";
import type { Planned } from "./plan.ts";
import type { Selection } from "./select.ts";
import type { Simulation } from "./simulation.ts";

/** A host in the run, as the loader provides it: with its name, groups and merged vars. */
export interface RunHost {
  readonly name: string;
  /** DNS name or IP address. */
  readonly address: string;
  /** The arguments for `ssh` that open the login; default: the address. */
  readonly ssh?: readonly string[];
  readonly groups: readonly string[];
  /** Vars merged in the inventory's order; the engine's caller checks them against the playbook's schema. */
  readonly vars: Vars;
  /**
   * Returns the user that a session opened with `become` runs as. Without this function, the user is known only once
   * the session is open.
   */
  readonly userFor?: (become: BecomeOptions | undefined) => string;
  /**
   * True for the controller if the inventory does not list it. A play's `become` concerns the play's hosts, so it does
   * not apply to the controller.
   */
  readonly isController?: boolean;
}

/** The options for opening a session. */
export interface SessionRequest {
  readonly host: RunHost;
  /** The play's `become`; undefined to run as the user who logged in. */
  readonly become: BecomeOptions | undefined;
  readonly signal: AbortSignal;
  /** Aborted when the run stops: the frame on the host then ends before its next task. */
  readonly stop: AbortSignal;
  readonly failed: AttemptFailed;
}

/** The facts that hosts reported in earlier runs. For this run, these facts are only a guess. */
export interface RememberedFacts {
  get(host: RunHost): HostFacts | undefined;
  set(host: RunHost, facts: HostFacts): void;
}

/** Everything a run needs, provided by the command line or by a program that embeds furrow. */
export interface RunRequest {
  readonly playbook: Playbook;
  readonly mode: Mode;
  /**
   * Returns the hosts that a play's pattern matches, in inventory order, with `--limit` applied. Throws FurrowError
   * E_PATTERN.
   */
  readonly hostsOf: (play: Play<never>) => readonly RunHost[];
  /** True if `hostsOf` omits hosts that the plays name. */
  readonly isLimited?: boolean;
  /** Returns all hosts that a play's pattern matches, regardless of `--limit`. Default: the hosts of this run. */
  readonly allHostsOf?: (play: Play<never>) => readonly RunHost[];
  /**
   * If `isLimited`, called with the position of the user's code when a play's `tasks` function reads its `hosts`,
   * because the list may be shorter than in a run without a limit.
   */
  readonly hostsRead?: (play: Play<never>, source: string | undefined) => void;
  /** Returns any host in the inventory, or the controller as `localhost`: these are the hosts that `on` may name. */
  readonly hostNamed: (name: string) => RunHost | undefined;
  /**
   * Registers a host that an earlier task created or that `nested` names. Returns the same object for the same name.
   */
  readonly newHost: (entry: NewHost) => RunHost;
  /** The vars of a host, parsed by the playbook's schema. */
  readonly varsOf: (host: RunHost) => unknown;
  readonly connect: (request: SessionRequest) => Promise<Session>;
  readonly drivers: DriverLookup;
  /**
   * Returns the text of a file in a tree on the controller, given the tree's request and the file's path below the
   * tree's root; undefined if that file does not exist or is too large. With this function, conflicts with tasks that
   * change such a file are found before the run.
   */
  readonly treeText?: TreeText;
  /**
   * True if a tree on the controller has an entry at the given path below its root. A tree task with `purge` removes
   * files that the tree lacks.
   */
  readonly treeHolds?: TreeHolds;
  /** Returns the entry at a path below the root of a tree on the controller. */
  readonly treeEntry?: TreeEntryAt;
  /** Returns all paths in a tree on the controller. */
  readonly treeNames?: TreeNames;
  readonly sink: EventSink;
  /** Facts remembered from earlier runs: they save a round trip if a play's `tasks` function uses facts. */
  readonly remembered?: RememberedFacts;
  /** The number of hosts that run at the same time; default: all. */
  readonly forks?: number;
  readonly selection?: Selection;
  /**
   * Receives the tags of all tasks in each plan that is made, including tasks that the selection leaves out, and
   * whether the selection includes any task.
   */
  readonly tagsSeen?: (tags: readonly string[], play: Play<never>, host: string, isAnySelected: boolean) => void;
  /** Called after the last play, before the recap; throws if no task was selected. */
  readonly requireSelected?: () => void;
  /** Title or name of the first task to run. */
  readonly startAt?: string;
  /** If true, the run reports at the end how its time was spent; `connect` opens sessions that measure it. */
  readonly profile?: boolean;
  /** If true, the old text of changed files is read, so that reports can show the difference. */
  readonly diff?: boolean;
  /** Plans that the caller already made with planPlay, by play and host name. The engine makes the other plans. */
  readonly plans?: ReadonlyMap<Play<never>, ReadonlyMap<string, Planned[]>>;
  /** If true, nothing is read or sent ahead of a task's turn: each task has its own round trips. */
  readonly oneByOne?: boolean;
  /**
   * If true, all facts that the play's tasks name are read after each step, and the run fails if a fact changed that
   * the task neither names nor declares.
   */
  readonly paranoid?: boolean;
  /**
   * The seconds after which a host reverts a change that may cut its connection, unless the change is confirmed over a
   * new connection. Default: such changes are made like any other.
   */
  readonly confirmWithinSeconds?: number;
  /** The id of the run. */
  readonly run: string;
  readonly version: string;
  /** Replaces steps and waits on simulated hosts. */
  readonly simulation?: Simulation;
  /**
   * Aborted to stop before the next task. If its reason is a FurrowError other than E_INTERRUPTED, the run stops
   * because of that error.
   */
  readonly stop?: AbortSignal;
  /** Aborted to stop immediately. */
  readonly kill?: AbortSignal;
  /** Aborted to stop waiting: the run then ends within a second, even if a host does not answer. */
  readonly leave?: AbortSignal;
}

/** The result of a run. */
export interface RunResult {
  readonly recap: readonly HostRecap[];
  readonly failed: readonly string[];
  readonly unreachable: readonly string[];
  /** True if something changed, would change, or may change. */
  readonly changed: boolean;
  readonly interrupted: boolean;
  /** The failures that stopped a host, in the order they happened. */
  readonly errors: readonly FurrowError[];
}

/** What a play's `tasks` function receives for one host. */
export interface BodyContext {
  readonly host: PlayHost;
  readonly hosts: readonly PlayHost[];
  readonly allHosts: readonly PlayHost[];
  readonly vars: unknown;
  readonly facts: HostFacts;
}
