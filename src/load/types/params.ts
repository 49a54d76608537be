import { closest } from "../../core/closest.ts";

/** A type error in the form of furrow's other errors. */
export interface Explained {
  readonly what: string;
  readonly expected?: string;
  readonly current?: string;
  readonly hint: string;
}

/** The property names that the compiler printed for a type, without those of nested objects. */
export function someNamesIn(type: string): string[] {
  return membersOf(type).map(({ name }) => name);
}

interface Member {
  readonly name: string;
  readonly isRequired: boolean;
}

function membersOf(type: string): Member[] {
  const flat = type.replace(/^[^{]*\{/, "").replaceAll(/\{[^{}]*\}/g, "");
  return [...flat.matchAll(/(?:^|;)\s*(?:readonly )?(\w+)(\??):/g)].map(([, name = "", mark]) => ({
    name,
    isRequired: mark === "",
  }));
}

/** The first of several object types that the compiler printed as `{ … } | …`; undefined if there is only one. */
function firstForm(text: string): string | undefined {
  const start = text.indexOf("{", text.search(/parameter of type '|assignable to type '/));
  if (start === -1) return undefined;
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    depth += text[at] === "{" ? 1 : text[at] === "}" ? -1 : 0;
    if (depth === 0) return text.startsWith(" |", at + 1) ? text.slice(start, at + 1) : undefined;
  }
  return undefined;
}

/**
 * Explains a required name that is missing. If a task has several forms, the compiler names only what the last form
 * lacks, and the last form is rarely the one that was meant.
 *
 * @param call the text of the line up to the params: `t.file(`
 */
export function missingName([first = "", ...reasons]: readonly string[], call: string): Explained | undefined {
  const text = reasons.at(-1) ?? first;
  const [, name, given = ""] =
    /^Property '(.+?)' is missing in type '(.*?)' but required/.exec(text) ??
    /^Property '(.+?)' is missing in type/.exec(text) ??
    [];
  if (name === undefined) return undefined;
  const form = firstForm(first);
  const members = form === undefined ? [] : membersOf(form);
  const written = someNamesIn(given);
  const required = members.filter(({ isRequired }) => isRequired).map((member) => member.name);
  const lacking = [...new Set([...required.filter((one) => !written.includes(one)), name])];
  const unknown = written.filter((one) => !members.some((member) => member.name === one));
  for (const one of lacking) {
    const misspelt = closest(one, unknown);
    if (misspelt !== undefined)
      return { what: `"${misspelt}" does not exist here`, hint: `Write "${one}" instead of "${misspelt}"` };
  }
  if (form === undefined || required.includes(name))
    return { what: `"${name}" is missing here`, hint: `Add "${name}"` };
  const task = /([\w$]+)\(\s*$/.exec(call)?.[1];
  return {
    what: `a param is missing here, such as ${lacking.map((one) => `"${one}"`).join(" or ")}`,
    hint: `Add the param that you mean${task === undefined ? "" : `; furrow doc ${task} lists them`}`,
  };
}

/**
 * Explains a value of the wrong type, with the name of its param.
 *
 * @param rest the rest of the line, starting at the error: `mode: 420 })`
 */
export function wrongType(lines: readonly string[], rest: string): Explained | undefined {
  const [, given, type] = /^Type '(.*)' is not assignable to type '(.*?)'/.exec(lines.at(-1) ?? "") ?? [];
  if (given === undefined || type === undefined) return undefined;
  const inside = /^Types of property '(.+)' are incompatible$/.exec(lines.at(-2) ?? "")?.[1];
  const name = inside ?? (lines.length === 1 ? /^["']?([A-Za-z_$][\w$-]*)["']?\s*[:,}]/.exec(rest)?.[1] : undefined);
  if (name === undefined) return undefined;
  return {
    what: `wrong value for "${name}"`,
    current: `a value of type ${cut(given)}`,
    expected: cut(withoutRefs(type)),
    hint: `Correct "${name}"`,
  };
}

function cut(type: string): string {
  return type.length > 90 ? `${type.slice(0, 80)}…` : type;
}

/** The members of a union type, without undefined and without task outputs, which every param accepts. */
function withoutRefs(type: string): string {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= type.length; at += 1) {
    if (at === type.length || (depth === 0 && type.startsWith(" | ", at))) {
      parts.push(type.slice(start, at));
      start = at + 3;
    }
    const isArrow = type[at] === ">" && type[at - 1] === "=";
    depth += "<{([".includes(type[at] ?? " ") ? 1 : ">})]".includes(type[at] ?? " ") && !isArrow ? -1 : 0;
  }
  const own = parts.filter((part) => !/^(?:AnyRef<|readonly OrRef<|undefined$|\{)/.test(part));
  return own.length === 0 ? type : own.map((part) => part.replace(/^Secret$/, "a secret")).join(" or ");
}
