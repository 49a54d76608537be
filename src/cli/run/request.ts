import { randomBytes } from "node:crypto";
import { hostname, userInfo } from "node:os";
import { checked } from "../../core/params/checked.ts";
import { expectedOf } from "../../core/params/issue-text.ts";
import type { EventSink, Mode } from "../../core/events.ts";
import { guardVars } from "../../core/guarded/play.ts";
import { optimizeFor } from "../../core/optimizer.ts";
import { Ref } from "../../core/authoring/ref.ts";
import { withSecretDefaults } from "../../core/secrets/secret-default.ts";
import { hideSecrets } from "../../core/secrets/secret-schema.ts";
import type { RunHost, RunRequest } from "../../engine/plan/request.ts";
import { keptFacts } from "../../load/state/kept-facts.ts";
import { loadPlaybook, type LoadedPlaybook } from "../../load/playbook/playbook-file.ts";
import type { MergedHost } from "../../load/vars/precedence.ts";
import { checkCommandLine, checkVars } from "../../load/vars/check-vars.ts";
import { parseVarFlags } from "../../load/vars/var-flag.ts";
import { misspeltVars } from "../../load/vars/misspelt-vars.ts";
import { driversWith } from "../drivers/index.ts";
import { treeEntry, treeHolds, treeNames, treeText } from "../drivers/tree-text.ts";
import { FurrowError, isFurrowError } from "../../core/errors.ts";
import { controllerName, type HostBook, type HostFlags, openHostBook, type SessionSettings } from "../hosts.ts";
import { cutHosts } from "./cut-hosts.ts";
import { warnOfLeftOut } from "./left-out.ts";
import { warn } from "../terminal.ts";
import { ownVersion } from "../version.ts";

/** The flags, shared by `run` and `list`, that define a run. */
export interface RunFlags extends HostFlags {
  readonly playbook: string;
  readonly tags?: string | undefined;
  readonly "skip-tags"?: string | undefined;
  readonly "start-at"?: string | undefined;
  readonly forks?: string | undefined;
  readonly diff?: boolean | undefined;
  readonly "one-by-one"?: boolean | undefined;
  readonly paranoid?: boolean | undefined;
  readonly profile?: boolean | undefined;
  readonly verify?: boolean | undefined;
  readonly "wait-lock"?: string | undefined;
  readonly "confirm-within"?: string | undefined;
  readonly "reconnect-timeout"?: string | undefined;
  readonly "stall-timeout"?: string | undefined;
}

/** A run that is ready to start, and the hosts that it would touch. */
export interface Prepared {
  readonly loaded: LoadedPlaybook;
  readonly book: HostBook;
  readonly request: RunRequest;
  /** The hosts of all plays, after `--limit`, in inventory order; hosts that a task creates are not included. */
  readonly hosts: readonly MergedHost[];
}

/** The settings that the caller provides for a run. */
export interface Circumstances {
  readonly mode: Mode;
  readonly vars: readonly string[];
  readonly sink: EventSink;
  readonly stop: AbortSignal;
  readonly kill: AbortSignal;
  readonly leave: AbortSignal;
  /** Fills in missing vars of the hosts before the vars are checked. */
  readonly complete?: (host: MergedHost, loaded: LoadedPlaybook) => MergedHost;
}

/** Loads and checks everything that can be checked without a host. Throws FurrowError. */
export async function prepareRun(flags: RunFlags, circumstances: Circumstances): Promise<Prepared> {
  const { mode, vars, sink, stop, kill, leave } = circumstances;
  const forks = flags.forks === undefined ? undefined : positiveWhole("--forks", flags.forks);
  const loaded = await loadPlaybook(flags.playbook);
  const book = await openHostBook(flags, vars, stop, flags.playbook).catch(async (error: unknown) => {
    await checkCommandLine(loaded, await parseVarFlags(vars));
    throw error;
  });
  warnOfLeftOut(book.inventory.leftOut);
  const { complete = (host: MergedHost) => host } = circumstances;
  const hosts = playbookHosts(loaded, book).map((host) => complete(host, loaded));
  optimizeFor(hosts.length);
  const typed = await checkVars(loaded, hosts, book.inventory.label);
  for (const text of misspeltVars(loaded.playbook.vars, hosts, book.inventory.label)) warn(text);
  const run = randomBytes(6).toString("hex");
  const settings = sessionSettings(flags, run, circumstances);
  const request: RunRequest = {
    playbook: loaded.playbook,
    mode,
    hostsOf: (play) =>
      typeof play.hosts === "string" ? book.limited(play.hosts).map((host) => book.booked(host)) : [],
    isLimited: flags.limit !== undefined,
    ...cutHosts(book),
    hostNamed: (name) => (book.has(name) || name === controllerName ? book.booked(book.merged(name)) : undefined),
    newHost: (entry) => book.booked(book.add(entry)),
    varsOf: (host) => typed.get(host.name) ?? laterVars(loaded, host),
    connect: ({ host, become, signal, ...rest }) =>
      book.connect(host.name, become, signal, { ...settings, stop: rest.stop, failed: rest.failed }),
    drivers: driversWith((machine) => book.addressFor(machine)),
    treeText,
    treeHolds,
    treeEntry,
    treeNames,
    remembered: keptFacts,
    sink,
    ...(forks !== undefined && { forks }),
    selection: { tags: words(flags.tags), skipTags: words(flags["skip-tags"]) },
    ...(flags["start-at"] !== undefined && { startAt: flags["start-at"] }),
    diff: flags.diff ?? false,
    oneByOne: flags["one-by-one"] ?? false,
    paranoid: flags.paranoid ?? false,
    ...(flags["confirm-within"] !== undefined && { confirmWithinSeconds: confirmSeconds(flags["confirm-within"]) }),
    profile: flags.profile ?? false,
    run,
    version: ownVersion(),
    stop,
    kill,
    leave,
  };
  return { loaded, book, request, hosts };
}

/**
 * Returns the settings for this run's sessions. In check mode, sessions do not lock their hosts. Throws FurrowError
 * E_USAGE.
 */
function sessionSettings(flags: RunFlags, id: string, { mode, leave }: Circumstances): SessionSettings {
  const waitLock = flags["wait-lock"];
  const reconnect = flags["reconnect-timeout"];
  const stall = flags["stall-timeout"];
  const waitSeconds = waitLock === undefined ? undefined : positiveWhole("--wait-lock", waitLock);
  const holder = `${userInfo().username}@${hostname()}`;
  return {
    leave,
    profile: flags.profile ?? false,
    verify: flags.verify ?? false,
    ...(reconnect !== undefined && { reconnectSeconds: positiveWhole("--reconnect-timeout", reconnect) }),
    ...(stall !== undefined && { stallSeconds: positiveWhole("--stall-timeout", stall) }),
    ...(mode === "apply" && { run: { id, holder, since: new Date().toISOString(), waitSeconds } }),
  };
}

/** Returns the vars of a host that was created during the run. Throws FurrowError E_VARS. */
function laterVars({ playbook, path }: LoadedPlaybook, host: RunHost): unknown {
  if (playbook.vars === undefined) return guardVars(undefined, {});
  hideSecrets(playbook.vars, host.vars);
  const result = checked(playbook.vars, host.vars);
  if (result.success) return guardVars(playbook.vars, withSecretDefaults(playbook.vars, result.data));
  const [issue] = result.error.issues;
  throw new FurrowError("E_VARS", {
    what: `the var "${issue?.path.join(".") ?? ""}" of a host created by a task does not match the schema`,
    where: { host: host.name, playbook: path },
    expected: issue === undefined ? "a value that matches the playbook's schema" : expectedOf(issue),
    hint: "Set it in the vars of the host in the task's output, or in the inventory's vars",
  });
}

function playbookHosts({ playbook, path }: LoadedPlaybook, book: HostBook): MergedHost[] {
  const named = playbook.plays.flatMap(({ name, hosts }) => (hosts instanceof Ref ? [] : [{ name, pattern: hosts }]));
  const { source } = playbook;
  const patterns = named.map(({ pattern }) => pattern);
  const hostsOf = ({ name, pattern }: (typeof named)[number]): readonly MergedHost[] => {
    try {
      return book.limited(pattern);
    } catch (error) {
      const where = { play: name ?? pattern, playbook: path, ...(source !== undefined && { source }) };
      throw isFurrowError(error) ? error.at(where) : error;
    }
  };
  const names = new Set(named.flatMap(hostsOf).map(({ name }) => name));
  const chosen = book.scope.hosts.filter((name) => names.has(name)).map((name) => book.merged(name));
  if (chosen.length > 0 || patterns.length === 0) return chosen;
  throw new FurrowError("E_PATTERN", {
    what: "--limit excludes every host that the plays name",
    current: `plays: ${patterns.map((pattern) => `"${pattern}"`).join(", ")}`,
    hint: "Widen --limit, or run furrow list to see which hosts the plays name",
  });
}

function words(text: string | undefined): string[] {
  return (text ?? "")
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}

/** Parses `--confirm-within`. Throws FurrowError E_USAGE. */
export function confirmSeconds(text: string): number {
  const seconds = positiveWhole("--confirm-within", text, "--confirm-within 60");
  if (seconds >= 20 && seconds <= 3600) return seconds;
  throw new FurrowError("E_USAGE", {
    what: "--confirm-within must be between 20 and 3600 seconds: a slow host needs time for a new connection",
    current: `"${text}"`,
    hint: "Write --confirm-within 60",
  });
}

/**
 * Parses a flag's value as a positive whole number. `example`: a correct use, for the hint. Throws FurrowError E_USAGE.
 */
export function positiveWhole(flag: string, text: string, example = `${flag} 10`): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new FurrowError("E_USAGE", {
    what: `${flag} must be a whole number, 1 or more`,
    current: `"${text}"`,
    hint: `Write ${example}`,
  });
}
