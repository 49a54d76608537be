import type { z } from "zod";
import { FurrowError, type Where } from "./errors.ts";
import { callerPosition } from "./position.ts";
import type { Node } from "./group.ts";
import { becomeKeys, type NewHost } from "./inventory.ts";
import type { BecomeOptions } from "./inventory-entries.ts";
import { type KeysOf, refuseUnknown } from "./known-keys.ts";
import type { Ref } from "./ref.ts";

/** What a host tells about itself; read when a play looks at it. */
export interface HostFacts {
  readonly hostname: string;
  readonly os: {
    /** `ID` of os-release: `debian`, `sles`, `opensuse-leap`. */
    readonly id: string;
    /** `VERSION_ID` of os-release: `12`, `15.6`. */
    readonly version: string;
    /** `ID_LIKE` and `ID` together: `debian`, `suse`, `fedora`. */
    readonly like: readonly string[];
  };
  /** As `uname -m` prints it: `x86_64`. */
  readonly architecture: string;
  readonly kernel: string;
  /** Logical processors. */
  readonly processors: number;
  /** Bytes of memory. */
  readonly memoryBytes: number;
  /** True where `/dev/kvm` can be opened. */
  readonly kvm: boolean;
  /** IPv4 addresses with prefix length, by interface: `{ eth0: ["10.0.0.5/24"] }`. */
  readonly addresses: Readonly<Record<string, readonly string[]>>;
}

/** A host as a play sees it. */
export interface PlayHost {
  readonly name: string;
  /** DNS name or IP address at which the controller reaches it. */
  readonly address: string;
  readonly groups: readonly string[];
  /** Position among the play's hosts, from 0. */
  readonly index: number;
}

/** What a play's `tasks` function is given. */
export interface PlayContext<V> {
  readonly host: PlayHost;
  /** All hosts of the play, in inventory order. */
  readonly hosts: readonly PlayHost[];
  readonly vars: V;
  readonly facts: HostFacts;
}

/** Hosts made by an earlier task, to be reached in a later play. */
export type HostsRef = Ref<readonly NewHost[]>;

/** One play: which hosts, how, and what to do on each. */
export interface Play<V = unknown> {
  readonly name?: string;
  /** A host pattern: `web`, `web:!web3`, `db*`, `all`, `@failed`, `@unfinished`. */
  readonly hosts: string | HostsRef;
  /** True for root, or the user to become, or how. */
  readonly become?: boolean | string | BecomeOptions;
  /** Hosts at a time: a number, a share (`"25%"`), or a list of such for successive batches. Default: all. */
  readonly serial?: number | `${number}%` | readonly (number | `${number}%`)[];
  /** One host's failure stops all hosts. */
  readonly anyFailureFatal?: boolean;
  /** Percent of a batch's hosts that may fail before the run stops; default 100. */
  readonly maxFailPercentage?: number;
  /** Inherited by every task. */
  readonly tags?: readonly string[];
  tasks(context: PlayContext<V>): readonly Node[];
}

/** What a playbook's `confirm` is given: a host of its plays, and its vars. */
export type ConfirmContext<V> = Omit<PlayContext<V>, "facts">;

/** What is asked before a run that cannot be undone. */
export interface Confirmation {
  /** What is lost, without a full stop: `the machine lab in eu-central-1, with its disks`. */
  readonly lost: string;
  /** What has to be typed for the run to begin: the name of what goes. */
  readonly typeBack: string;
}

/** A playbook: what a playbook file exports by default. */
export interface Playbook {
  readonly playbook: true;
  readonly name: string;
  readonly vars: z.ZodType | undefined;
  readonly confirm: ((context: ConfirmContext<never>) => Confirmation | undefined) | undefined;
  readonly plays: readonly Play<never>[];
  readonly source: string | undefined;
}

/**
 * Makes a playbook. The vars of each play are typed by `vars`. What `confirm` gives for the hosts is asked of a person
 * before a run touches any of them, once for each text to be typed, unless `--yes` is given; check mode never asks.
 *
 * @throws FurrowError E_PLAYBOOK where the name or the plays are missing, or an option is unknown
 */
export function playbook<S extends z.ZodType = z.ZodType<Record<string, never>>>(definition: {
  readonly name: string;
  readonly vars?: S;
  readonly confirm?: (context: ConfirmContext<NoInfer<z.output<S>>>) => Confirmation | undefined;
  readonly plays: readonly Play<NoInfer<z.output<S>>>[];
}): Playbook {
  const source = callerPosition();
  // Types say so, but not every project checks its types.
  const { name, plays } = definition as { readonly name?: unknown; readonly plays?: unknown };
  const missing = [...(isName(name) ? [] : ["name"]), ...(Array.isArray(plays) ? [] : ["plays"])];
  if (missing.length > 0) {
    throw new FurrowError("E_PLAYBOOK", {
      what: `a playbook has no ${missing.join(" and no ")}`,
      ...(source !== undefined && { where: { source } }),
      hint: 'Write playbook({ name: "My site", plays: [{ hosts: "all", tasks: () => [] }] })',
    });
  }
  refuseUnknownOptions(definition, { ...(source !== undefined && { source }) });
  return { playbook: true, vars: undefined, confirm: undefined, ...definition, source };
}

const playbookKeys: KeysOf<Omit<Playbook, "playbook" | "source">> = {
  name: true,
  vars: true,
  confirm: true,
  plays: true,
};

const playKeys: KeysOf<Play> = {
  name: true,
  hosts: true,
  become: true,
  serial: true,
  anyFailureFatal: true,
  maxFailPercentage: true,
  tags: true,
  tasks: true,
};

function refuseUnknownOptions(
  definition: { readonly name: string; readonly plays: readonly Play<never>[] },
  where: Where,
): void {
  const owner = `the playbook "${definition.name}"`;
  // A playbook made from another one (`{ ...base, name: "b" }`) has what that one was given by furrow, too.
  const { playbook: _made, source: _source, ...own } = definition as Partial<Playbook>;
  refuseUnknown(own, playbookKeys, owner, where);
  for (const [index, play] of definition.plays.entries()) {
    // What is not a play at all is refused with the file's name when the playbook is loaded.
    if (typeof play !== "object" || play === null || Array.isArray(play)) continue;
    const named = isName(play.name) ? `the play "${play.name}"` : `play ${index + 1} of ${owner}`;
    refuseUnknown(play, playKeys, named, where);
    if (typeof play.become === "object") refuseUnknown(play.become, becomeKeys, `\`become\` of ${named}`, where);
  }
}

function isName(name: unknown): boolean {
  return typeof name === "string" && name.trim() !== "";
}

/** A play on its own, to be kept in a variable or a file: `play<Vars>({ … })`. */
export function play<V>(definition: Play<V>): Play<V> {
  return definition;
}
