import type { z } from "zod";
import { FurrowError, type Where } from "../errors.ts";
import { callerPosition } from "./position.ts";
import type { Node } from "./group.ts";
import type { NewHost } from "../inventory/inventory.ts";
import type { BecomeOptions } from "../inventory/inventory-entries.ts";
import { together } from "../wrong-calls.ts";
import { described } from "./described.ts";
import { refuseUnknown } from "./known-keys.ts";
import { type OptionRules, wrongOptions } from "./option-rules.ts";
import { becomeRules, playbookRules, playRules } from "./play-options.ts";
import type { Ref } from "./ref.ts";

/** The facts that a host reports about itself; read only if a play uses them. */
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
  /** Memory in bytes. */
  readonly memoryBytes: number;
  /** True if `/dev/kvm` can be opened. */
  readonly kvm: boolean;
  /** IPv4 addresses with prefix length, by interface: `{ eth0: ["10.0.0.5/24"] }`. */
  readonly addresses: Readonly<Record<string, readonly string[]>>;
}

/** A host as a play sees it. */
export interface PlayHost {
  readonly name: string;
  /** DNS name or IP address that the controller connects to. */
  readonly address: string;
  /** The user who logs in. */
  readonly user?: string;
  /**
   * The `ssh` arguments that log in to the host, for use in commands that a user copies:
   * `["-p", "2222", "admin@203.0.113.10"]`. Empty for the controller.
   */
  readonly ssh?: readonly string[];
  readonly groups: readonly string[];
  /** Position in the list that contains the host (`hosts` or `allHosts`), counted from 0. */
  readonly index: number;
}

/** The argument of a play's `tasks` function. */
export interface PlayContext<V> {
  readonly host: PlayHost;
  /** The play's hosts in this run, in inventory order, without those that `--limit` excludes. */
  readonly hosts: readonly PlayHost[];
  /** Every host that the play's `hosts` pattern matches, regardless of `--limit`, in inventory order. */
  readonly allHosts: readonly PlayHost[];
  readonly vars: V;
  readonly facts: HostFacts;
}

/** Hosts created by an earlier task, for use in a later play. */
export type HostsRef = Ref<readonly NewHost[]>;

/** One play: which hosts it covers, how it runs, and which tasks each host gets. */
export interface Play<V = unknown> {
  readonly name?: string;
  /** A host pattern: `web`, `web:!web3`, `db*`, `all`, `@failed`, `@unfinished`. */
  readonly hosts: string | HostsRef;
  /** `true` to become root, a user name to become that user, or the complete options. */
  readonly become?: boolean | string | BecomeOptions;
  /**
   * How many hosts run at a time: a number, a percentage (`"25%"`), or a list of these for successive batches. Default:
   * all hosts.
   */
  readonly serial?: number | `${number}%` | readonly (number | `${number}%`)[];
  /** If true, the failure of one host stops all hosts. */
  readonly anyFailureFatal?: boolean;
  /** Percentage of a batch's hosts that may fail before the run stops; default 100. */
  readonly maxFailPercentage?: number;
  /** Tags that every task inherits. */
  readonly tags?: readonly string[];
  tasks(context: PlayContext<V>): readonly Node[];
}

/** The argument of a playbook's `confirm`: one of the hosts in its plays, and that host's vars. */
export type ConfirmContext<V> = Omit<PlayContext<V>, "allHosts" | "facts">;

/** The confirmation that a user must give before a run that cannot be undone. */
export interface Confirmation {
  /** A description of what will be lost, without a full stop: `the machine lab in eu-central-1, with its disks`. */
  readonly lost: string;
  /** The text that the user must type to start the run: the name of what will be lost. */
  readonly typeBack: string;
}

/** A playbook: the default export of a playbook file. */
export interface Playbook {
  readonly playbook: true;
  readonly name: string;
  readonly vars: z.ZodType | undefined;
  readonly confirm: ((context: ConfirmContext<never>) => Confirmation | undefined) | undefined;
  readonly plays: readonly Play<never>[];
  readonly source: string | undefined;
}

/**
 * Creates a playbook. `vars` is the schema of the plays' vars. Before a run touches any host, the user must type the
 * text that `confirm` returns for each host; the same text is asked for only once. `--yes` skips this question, and
 * check mode never asks it.
 *
 * @throws FurrowError E_PLAYBOOK if the name or the plays are missing, or an option is unknown or has a wrong value
 */
export function playbook<S extends z.ZodType = z.ZodType<Record<string, never>>>(definition: {
  readonly name: string;
  readonly vars?: S;
  readonly confirm?: (context: ConfirmContext<NoInfer<z.output<S>>>) => Confirmation | undefined;
  readonly plays: readonly Play<NoInfer<z.output<S>>>[];
}): Playbook {
  const source = callerPosition();
  refuseWrong(definition, { ...(source !== undefined && { source }) });
  return { playbook: true, vars: undefined, confirm: undefined, ...definition, source };
}

const ownRules: OptionRules<Omit<Playbook, "playbook" | "source">> = playbookRules;
const rulesOfPlays: OptionRules<Play> = playRules;

/** Refuses a wrong definition. The types refuse it too, but not every project checks its types. */
function refuseWrong(definition: object, where: Where): void {
  // A playbook that was derived from another one (`{ ...base, name: "b" }`) also has the properties that furrow added
  // to it.
  const { playbook: _made, source: _source, ...own } = definition as Partial<Playbook>;
  const { name, plays } = own as { readonly name?: unknown; readonly plays?: unknown };
  const missing = [
    ...(isMissing(name) || (typeof name === "string" && !isName(name)) ? ["name"] : []),
    ...(isMissing(plays) ? ["plays"] : []),
  ];
  if (missing.length > 0) {
    throw new FurrowError("E_PLAYBOOK", {
      what: `a playbook has no ${missing.join(" and no ")}`,
      where,
      hint: 'Write playbook({ name: "My site", plays: [{ hosts: "all", tasks: () => [] }] })',
    });
  }
  const owner = isName(name) ? `the playbook "${name}"` : "a playbook";
  refuseUnknown(own, ownRules, owner, where);
  const wrong = [
    ...wrongOptions(own, ownRules, owner, where),
    ...(Array.isArray(plays) ? plays.flatMap((play, index) => wrongPlay(play, index, owner, where)) : []),
  ];
  if (wrong.length > 0) throw together(wrong);
}

function wrongPlay(play: unknown, index: number, owner: string, where: Where): FurrowError[] {
  const isObject = typeof play === "object" && play !== null && !Array.isArray(play);
  const { name, hosts, tasks, become } = (isObject ? play : {}) as { readonly [K in keyof Play]?: unknown };
  const numbered = `play ${index + 1} of ${owner}`;
  const lacks = [...(isMissing(hosts) ? ["hosts"] : []), ...(isMissing(tasks) ? ["tasks"] : [])];
  if (!isObject || lacks.length > 0) {
    return [
      new FurrowError("E_PLAYBOOK", {
        what: `${numbered} is not a play`,
        where,
        current: isObject ? `an object without ${lacks.join(" and ")}` : described(play),
        expected: "{ hosts: …, tasks: ({ host, vars, facts }) => [ … ] }",
        hint: 'Give every play "hosts" and "tasks"',
      }),
    ];
  }
  const named = isName(name) ? `the play "${name}"` : numbered;
  refuseUnknown(play, rulesOfPlays, named, where);
  const wrong = wrongOptions(play, rulesOfPlays, named, where);
  if (typeof become !== "object" || become === null || Array.isArray(become)) return wrong;
  refuseUnknown(become, becomeRules, `\`become\` of ${named}`, where);
  const parts = wrongOptions(become, becomeRules, named, where, "become.");
  return [...wrong, ...parts];
}

function isMissing(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

function isName(name: unknown): name is string {
  return typeof name === "string" && name.trim() !== "";
}

/** Gives a type to a play that is stored in a variable or in a separate file: `play<Vars>({ … })`. */
export function play<V>(definition: Play<V>): Play<V> {
  return definition;
}
