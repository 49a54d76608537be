import { FurrowError } from "../../core/errors.ts";
import { closest } from "../../core/closest.ts";

/** The hosts and groups that a pattern is matched against. */
export interface PatternScope {
  /** All hosts, in inventory order. */
  readonly hosts: readonly string[];
  /** The hosts of each group, including its subgroups, in the order used for counting positions. */
  readonly groups: ReadonlyMap<string, ReadonlySet<string>>;
  /** True for an Ansible inventory, where "all" is a group that globs can match. */
  readonly isAnsible?: boolean;
  /** The hosts that the last run did not finish; undefined if no run is recorded. */
  readonly last: LeftHosts | undefined;
}

/** Hosts that a run did not finish. */
export interface LeftHosts {
  /** Hosts that failed or could not be reached. */
  readonly failed: readonly string[];
  /** The failed hosts, and all other hosts that did not finish their plays. */
  readonly unfinished: readonly string[];
}

/** One term of a pattern, without its `!` or `&`, and the whole pattern for messages. */
export interface Term {
  readonly text: string;
  readonly pattern: string;
  /** True for a term that adds hosts: in such a term, a host takes precedence over a group of the same name. */
  readonly adds: boolean;
}

const position = /^(.+)\[(-?\d+|\d+:\d*)\]$/;

/** The hosts that a term names, in the order used for counting positions. Throws FurrowError E_PATTERN. */
export function hostsOf(term: Term, scope: PatternScope): readonly string[] {
  const { text } = term;
  if (text.startsWith("~")) return matched(term, regularExpression(term), scope);
  const [, name = text, at] = position.exec(text) ?? [];
  if (at !== undefined) return positioned(named({ ...term, text: name, adds: false }, scope), at, name, term);
  if (/\[\d+-\d*\]$/.test(text)) throw notRange(term, scope);
  if (/\[[-\d:]*:[-\d:]*\]$/.test(text)) {
    throw refused(term, `"${text}" does not end in a valid position`, "Write [0], [-1], [1:3] or [2:]");
  }
  return named(term, scope);
}

function positioned(hosts: readonly string[], at: string, name: string, term: Term): readonly string[] {
  if (/[*?[]/.test(name)) {
    throw refused(
      term,
      `"${name}" is a glob, and the hosts of a glob have no fixed order`,
      "Put a group name before the position",
    );
  }
  const [, from = at, to] = /^(\d+):(\d*)$/.exec(at) ?? [];
  if (to === undefined) {
    const host = hosts.at(Number(from));
    const many = hosts.length === 1 ? "1 host" : `${hosts.length} hosts`;
    if (host === undefined) throw refused(term, `"${name}" has ${many}, but none at position ${from}`, "Count from 0");
    return [host];
  }
  if (to !== "" && Number(to) < Number(from)) {
    throw refused(term, `[${at}] ends before it begins`, `Write [${to}:${from}]`);
  }
  return hosts.slice(Number(from), to === "" ? undefined : Number(to) + 1);
}

function named(term: Term, scope: PatternScope): readonly string[] {
  const { text: name, pattern, adds } = term;
  if (name === "all" || name === "*") return scope.hosts;
  if (name === "@failed" || name === "@unfinished") return leftHosts(name, pattern, scope);
  if (adds && scope.hosts.includes(name)) return [name];
  const group = scope.groups.get(name);
  if (group !== undefined) return [...group];
  if (scope.hosts.includes(name)) return [name];
  if (!/[*?[]/.test(name)) throw unknownName(name, pattern, scope);
  return matched(term, globExpression(term), scope);
}

/**
 * The hosts that match by their own name or by the name of one of their groups. Throws FurrowError E_PATTERN if the
 * expression also matches Ansible's group "all".
 */
function matched(term: Term, expression: RegExp, scope: PatternScope): readonly string[] {
  const groups = [...scope.groups].filter(([key]) => expression.test(key)).map(([, members]) => members);
  const hosts = scope.hosts.filter((host) => expression.test(host) || groups.some((members) => members.has(host)));
  if (scope.isAnsible === true && hosts.length < scope.hosts.length && expression.test("all")) {
    throw refused(
      term,
      `"${term.text}" matches the group "all" too, which means every host in Ansible`,
      "Write all if you mean every host; otherwise use a longer prefix that does not match the word all",
    );
  }
  return hosts;
}

/** Compiles a glob with the syntax of Python's fnmatch: `*`, `?`, `[abc]`, `[!abc]`. */
function globExpression(term: Term): RegExp {
  const source = term.text
    .split(/(\*|\?|\[!?\]?[^\]]*\])/)
    .map((part) => {
      if (part === "*") return ".*";
      if (part === "?") return ".";
      const [, not, inside] = /^\[(!?)(\]?[^\]]*)\]$/.exec(part) ?? [];
      if (inside !== undefined && inside !== "")
        return `[${not === "!" ? "^" : ""}${inside.replaceAll(/[[\]\\^]/g, String.raw`\$&`)}]`;
      return part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
    })
    .join("");
  return compiled(`^${source}$`, term);
}

/**
 * Compiles a regular expression as Python's re.match does, anchored at the start. Refuses an expression that JavaScript
 * rejects.
 */
function regularExpression(term: Term): RegExp {
  // Python allows escaping any punctuation; JavaScript's `u` flag rejects unknown escapes.
  const source = term.text.slice(1).replaceAll(/\\([^\w\s$()*+./?[\\\]^{|}])/g, (_all, sign: string) => {
    return String.raw`\u{` + (sign.codePointAt(0) ?? 0).toString(16) + "}";
  });
  return compiled(`^(?:${source})`, term);
}

function compiled(source: string, term: Term): RegExp {
  try {
    return new RegExp(source, "u");
  } catch (error) {
    throw refused(
      term,
      `"${term.text}" is not an expression that furrow can match: ${(error as Error).message.split(": ").at(-1) ?? ""}`,
      "Simplify the expression, or list the hosts: a,b",
    );
  }
}

function refused({ pattern }: Term, why: string, hint: string): FurrowError {
  return new FurrowError("E_PATTERN", { what: `the host pattern "${pattern}" cannot be used: ${why}`, hint });
}

/** The error for `web0[1-3]`, which Ansible reads as positions and other tools as a glob. */
function notRange(term: Term, scope: PatternScope): FurrowError {
  const [, name = "", from = "", to = ""] = /^(.*)\[(\d+)-(\d*)\]$/.exec(term.text) ?? [];
  const byName = `~${name
    .replaceAll(".", String.raw`\.`)
    .replaceAll("*", ".*")
    .replaceAll("?", ".")}[${from}-${to}]`;
  const isKnown = scope.groups.has(name) || ["all", "*"].includes(name);
  return refused(
    term,
    `[${from}-${to}] could mean positions, as in Ansible, or characters of names`,
    isKnown
      ? `Write ${name === "*" ? "all" : name}[${from}:${to}] for positions, or ${byName}$ for names`
      : `Write ${byName}$ for names that end this way`,
  );
}

function leftHosts(name: "@failed" | "@unfinished", pattern: string, scope: PatternScope): readonly string[] {
  const { last } = scope;
  if (last === undefined) {
    const which = name === "@failed" ? "failed in the last run" : "the last run left unfinished";
    throw new FurrowError("E_PATTERN", {
      what: `the host pattern "${pattern}" asks for the hosts that ${which}, but no run is recorded`,
      current: "no run of this playbook with this inventory from this account",
      hint: `Specify hosts or groups; ${name} works only after a run`,
    });
  }
  const left = new Set(name === "@failed" ? last.failed : last.unfinished);
  return scope.hosts.filter((host) => left.has(host));
}

function unknownName(name: string, pattern: string, scope: PatternScope): FurrowError {
  const known = [...scope.groups.keys(), ...scope.hosts];
  const withoutNumbers = (text: string): string => text.replaceAll(/\d+/g, "0");
  // For web1, web2 is not suggested, because it is a different machine.
  const near =
    known.find((other) => withoutZeros(other) === withoutZeros(name)) ??
    closest(name, [
      ...known.filter((other) => withoutNumbers(other) !== withoutNumbers(name)),
      "all",
      ...(name.startsWith("@") ? ["@failed", "@unfinished"] : []),
    ]);
  return new FurrowError("E_PATTERN", {
    what: `the host pattern "${pattern}" names "${name}", which is neither a host nor a group in the inventory`,
    current: `groups ${listSome([...scope.groups.keys()])}; hosts ${listSome(scope.hosts)}`,
    hint: near === undefined ? "Run furrow inventory to see hosts and groups" : `Write "${near}" instead of "${name}"`,
  });
}

/** A name in lower case without leading zeros: `WEB001` and `web01` mean the same host. */
function withoutZeros(name: string): string {
  return name.toLowerCase().replaceAll(/(?<!\d)0+(?=\d)/g, "");
}

/** Up to eight names, and how many more there are. */
export function listSome(names: readonly string[]): string {
  const more = names.length > 8 ? `, and ${names.length - 8} more` : "";
  return names.length === 0 ? "(none)" : names.slice(0, 8).join(", ") + more;
}
