import { pathPattern } from "./apparmor-glob.ts";

/** A path rule in a profile. */
interface PathRule {
  readonly denies: boolean;
  readonly pattern: RegExp;
  /** The letters of the rule's permissions: `r`, `w`, `m`, `k`, … */
  readonly permissions: string;
}

/** The path rules of an AppArmor profile. */
export interface PathRules {
  readonly name: string;
  readonly rules: readonly PathRule[];
}

/**
 * Returns the path rules of the first profile in a file that `apparmor_parser -p` has preprocessed, so all includes are
 * in the text. Leaves out nested profiles, which apply to other programs, and rules that are not about paths. Undefined
 * if the text contains no profile.
 */
export function pathRules(text: string): PathRules | undefined {
  const plain = text.replaceAll(/^\s*#.*$/gm, "").replaceAll(/\s#.*$/gm, "");
  const variables = variablesIn(plain);
  const head = /^[ \t]*(?:profile\s+)?("[^"]*"|[^\s"=@{}][^\s]*|@\{[^}]+\}\S*)[^\n;]*?\{[ \t]*$/m.exec(plain);
  if (head === null) return undefined;
  const statements = statementsIn(plain.slice(head.index + head[0].length));
  return {
    name: unquoted(head[1] ?? ""),
    rules: statements.flatMap((statement) => ruleOf(statement, variables)),
  };
}

/**
 * True if the profile gives its program this permission for a path; `permission` is one letter. A deny rule overrides
 * all others. Rules that apply only to the file's owner count too, because the services that furrow asks about run as
 * root.
 */
export function allows({ rules }: PathRules, path: string, permission: "r" | "w"): boolean {
  const matching = rules.filter((rule) => rule.permissions.includes(permission) && rule.pattern.test(path));
  return matching.length > 0 && !matching.some(({ denies }) => denies);
}

type Variables = ReadonlyMap<string, readonly string[]>;

function variablesIn(text: string): Variables {
  const variables = new Map<string, string[]>();
  for (const [, name = "", values = ""] of text.matchAll(/^[ \t]*@\{(\w+)\}[ \t]*\+?=[ \t]*(.*)$/gm)) {
    const words = values.match(/"[^"]*"|\S+/g) ?? [];
    variables.set(name, [...(variables.get(name) ?? []), ...words.map(unquoted)]);
  }
  return variables;
}

/** Returns the statements of a block up to its closing brace, without the blocks in it. */
function statementsIn(body: string): string[] {
  const statements: string[] = [];
  let current = "";
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < body.length; at += 1) {
    const sign = body[at] ?? "";
    if (sign === '"') isQuoted = !isQuoted;
    // A brace after a space begins a block; a brace in a path belongs to an alternative or a variable.
    const begins = sign === "{" && !isQuoted && /\s$/.test(current) && /^\{\s/.test(body.slice(at, at + 2));
    const ends = sign === "}" && !isQuoted && current.trim() === "";
    if (ends && depth === 0) break;
    if (begins) [depth, current] = [depth + 1, ""];
    else if (ends) [depth, current] = [depth - 1, ""];
    else if (sign === "," && !isQuoted && /^,(\s|$)/.test(body.slice(at, at + 2))) {
      if (depth === 0) statements.push(current.trim());
      current = "";
    } else current += sign;
  }
  return statements;
}

const permissionLetters = String.raw`[rwamlkixpucPUC]+`;
const path = String.raw`"(?:/|@\{)[^"]*"|(?:/|@\{)\S*`;
const rulePattern = new RegExp(
  String.raw`^(?<words>(?:(?:audit|allow|deny|owner|file)\s+)*)(?:(?<path>${path})\s+(?<after>${permissionLetters})|(?<before>${permissionLetters})\s+(?<other>${path}))(?:\s+->\s+.*)?$`,
);

function ruleOf(statement: string, variables: Variables): PathRule[] {
  const { words = "", path: first, other, after, before } = rulePattern.exec(statement)?.groups ?? {};
  const pattern = first ?? other;
  if (pattern === undefined) return [];
  const permissions = after ?? before ?? "";
  return expanded(unquoted(pattern), variables, 0).map((one) => ({
    denies: /\bdeny\b/.test(words),
    pattern: pathPattern(one.replaceAll(/\/{2,}/g, "/")),
    permissions,
  }));
}

/**
 * Returns one pattern for each combination of the values of its variables. A variable without a value matches nothing.
 */
function expanded(pattern: string, variables: Variables, level: number): string[] {
  const found = /@\{(\w+)\}/.exec(pattern);
  if (found === null || level > 20) return [pattern];
  const values = variables.get(found[1] ?? "") ?? [];
  return values.flatMap((value) =>
    expanded(
      pattern.replace(found[0], () => value),
      variables,
      level + 1,
    ),
  );
}

function unquoted(word: string): string {
  return word.replace(/^"(.*)"$/, "$1");
}
