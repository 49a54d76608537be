import type { DriverLookup } from "../../core/driver.ts";
import type { FurrowError } from "../../core/errors.ts";
import type { EventSink, HostRecap, Mode } from "../../core/events.ts";
import type { NewHost } from "../../core/inventory.ts";
import type { BecomeOptions, Vars } from "../../core/inventory-entries.ts";
import type { HostFacts, Play, Playbook, PlayHost } from "../../core/playbook.ts";
import type { Session } from "../../core/frame.ts";
import type { TreeText, TreeEntryAt, TreeHolds, TreeNames } from "./controller-trees.ts";
import type { Planned } from "./plan.ts";
import type { Selection } from "./select.ts";
import type { Simulation } from "./simulation.ts";

/** A host of the run, as the loader made it: named, grouped, its vars merged. */
export interface RunHost {
  readonly name: string;
  /** DNS name or IP address. */
  readonly address: string;
  readonly groups: readonly string[];
  /** Merged by the inventory's order; checked against the playbook's schema by the engine's caller. */
  readonly vars: Vars;
  /** The user that a session opened this way runs as; without it that is known only once the session is open. */
  readonly userFor?: (become: BecomeOptions | undefined) => string;
}

/** How a session is to be opened. */
export interface SessionRequest {
  readonly host: RunHost;
  /** As the play says it; undefined for no other user. */
  readonly become: BecomeOptions | undefined;
  readonly signal: AbortSignal;
  /** Aborted when the run is to stop: what runs on the host then ends at the next border of a task. */
  readonly stop: AbortSignal;
}

/** What hosts said of themselves in earlier runs: a guess at what they will say. */
export interface RememberedFacts {
  get(host: RunHost): HostFacts | undefined;
  set(host: RunHost, facts: HostFacts): void;
}

/** Everything a run needs; made by the command line, or by a program that embeds furrow. */
export interface RunRequest {
  readonly playbook: Playbook;
  readonly mode: Mode;
  /** Hosts by pattern, in inventory order, `--limit` applied. Throws FurrowError E_PATTERN. */
  readonly hostsOf: (play: Play<never>) => readonly RunHost[];
  /** True where `hostsOf` leaves out hosts that the plays name. */
  readonly isLimited?: boolean;
  /** Any host of the inventory: what `on` may name. */
  readonly hostNamed: (name: string) => RunHost | undefined;
  /** Makes a host that an earlier task has brought into being, or that `nested` names; the same one every time. */
  readonly newHost: (entry: NewHost) => RunHost;
  /** The vars of a host as the playbook's schema gives them out. */
  readonly varsOf: (host: RunHost) => unknown;
  readonly connect: (request: SessionRequest) => Promise<Session>;
  readonly drivers: DriverLookup;
  /**
   * The text of a file in a tree of the controller, by the tree's request and the path below it; undefined where there is
   * none, or it is too large to look at. With it conflicts with tasks that change such a file are known before the run.
   */
  readonly treeText?: TreeText;
  /** Whether such a tree has something at a path below it: what has not, a tree task that purges removes. */
  readonly treeHolds?: TreeHolds;
  /** What such a tree has at a path below it, and the paths of all that it has. */
  readonly treeEntry?: TreeEntryAt;
  readonly treeNames?: TreeNames;
  readonly sink: EventSink;
  /** Saves a round trip where a play's body looks at facts. */
  readonly remembered?: RememberedFacts;
  /** Hosts at a time; default: all. */
  readonly forks?: number;
  readonly selection?: Selection;
  /** Title or name of the first task to run. */
  readonly startAt?: string;
  /** Say at the end where the time went; `connect` opens sessions that measure it. */
  readonly profile?: boolean;
  /** Read what is needed to show the text that changes. */
  readonly diff?: boolean;
  /** Plans that the caller has made already with planPlay, by play and host's name; the others are made here. */
  readonly plans?: ReadonlyMap<Play<never>, ReadonlyMap<string, Planned[]>>;
  /** Read and send nothing ahead of a task's turn: each task takes its own round trips. */
  readonly oneByOne?: boolean;
  /** Read all facts of the play after each step, and fail where one changed that its task neither names nor declares. */
  readonly paranoid?: boolean;
  /** Names the run. */
  readonly run: string;
  readonly version: string;
  /** Acts in place of steps and waits; for simulated hosts. */
  readonly simulation?: Simulation;
  /** Aborted to stop at the next task border; where its reason is another FurrowError than E_INTERRUPTED, for that error. */
  readonly stop?: AbortSignal;
  /** Aborted to stop at once. */
  readonly kill?: AbortSignal;
  /** Aborted to wait for nothing any more: the run then ends within a second, whatever does not answer. */
  readonly leave?: AbortSignal;
}

/** What a run came to. */
export interface RunResult {
  readonly recap: readonly HostRecap[];
  readonly failed: readonly string[];
  readonly unreachable: readonly string[];
  /** Something changed, or would change. */
  readonly changed: boolean;
  readonly interrupted: boolean;
  /** The failures that stopped a host, in the order they came. */
  readonly errors: readonly FurrowError[];
}

/** What the body of a play sees of its host. */
export interface BodyContext {
  readonly host: PlayHost;
  readonly hosts: readonly PlayHost[];
  readonly vars: unknown;
  readonly facts: HostFacts;
}
