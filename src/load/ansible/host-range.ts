import { isIPv6 } from "node:net";

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const label = String.raw`[\p{L}\p{N}_](?:[\p{L}\p{N}_-]*[\p{L}\p{N}])?`;
const hostName = new RegExp(String.raw`^${label}(?:\.${label})*$`, "u");

/** A problem in a host pattern; the caller adds the file and the line. */
export class HostRangeError extends Error {}

/** The hosts that one inventory pattern names, and the port that follows the pattern. */
export interface HostPattern {
  readonly hosts: readonly string[];
  readonly port: number | undefined;
}

/**
 * Reads `web1`, `web[01:20:2].example:2222`, `[2001:db8::1]:22`. Like Ansible, uses the whole text as the name if the
 * text is not a valid address. Throws HostRangeError for an invalid range, and for a variable in place of a host.
 */
export function hostPattern(text: string): HostPattern {
  refuseVariable(text);
  const { name, port } = address(text) ?? { name: text, port: undefined };
  return { hosts: expand(name), port };
}

/**
 * Refuses `ansible_password=…`, which Ansible would treat as the name of a host. The value is not shown: it may be a
 * password.
 */
function refuseVariable(text: string): void {
  if (!text.includes("=")) return;
  const [, name = "NAME"] = /^(ansible_\w+)=/.exec(text) ?? [];
  throw new HostRangeError(
    `${name}=… is in place of a host; write it after the name of a host, or with the vars of a group`,
  );
}

function address(text: string): { name: string; port: number | undefined } | undefined {
  let name = text;
  let port: number | undefined;
  for (const expression of [/^\[(.+)\]:(\d+)$/, /^((?:[^:[\]]|\[[^\]]*\])*):(\d+)$/]) {
    const [, before, digits] = expression.exec(name) ?? [];
    if (before === undefined) continue;
    name = before;
    port = Number(digits);
  }
  return isAddress(name) ? { name, port } : undefined;
}

/** True for host names and IP addresses; they can contain ranges. */
function isAddress(text: string): boolean {
  const sixth = text.replaceAll(/\[[\da-f]+:[\da-f]+(?::\d+)?\]/gi, "0");
  if (isIPv6(sixth) && !sixth.includes("%")) return true;
  const named = text.replaceAll(/\[(?:[a-z]:[a-z]|\d+:\d+)(?::\d+)?\]/gi, "0");
  // A label must not end in a dash or an underscore, even after a range.
  return hostName.test(named) && !/_(?:\.|$)/.test(named);
}

/** All names that a pattern with ranges expands to; a range includes its first and its last value. */
function expand(text: string): string[] {
  if (!text.includes("[")) return [text];
  const [head = "", range, tail, ...more] = text.replace("[", "|").replace("]", "|").split("|");
  if (range === undefined || tail === undefined || more.length > 0) {
    throw new HostRangeError(`"${text}" has a bracket that is not part of a range`);
  }
  return sequence(range).flatMap((part) => expand(`${head}${part}${tail}`));
}

function sequence(range: string): string[] {
  const bounds = range.split(":");
  const [first = "", end = "", step = "1"] = bounds;
  const begin = first === "" ? "0" : first;
  if (bounds.length !== 2 && bounds.length !== 3)
    throw new HostRangeError(`[${range}] is not [begin:end] or [begin:end:step]`);
  if (end === "") throw new HostRangeError(`[${range}] has no end`);
  const isPadded = begin.startsWith("0") && begin.length > 1;
  if (isPadded && begin.length !== end.length) {
    throw new HostRangeError(`[${range}] begins and ends with numbers of different lengths`);
  }
  if (!/^\d+$/.test(step) || Number(step) === 0)
    throw new HostRangeError(`[${range}] has a step that is not a whole number of at least 1`);
  const [from, to] = [letters.indexOf(begin), letters.indexOf(end)];
  if (from >= 0 && to >= 0) {
    if (from > to) throw new HostRangeError(`[${range}] ends before it begins`);
    return count(from, to, Number(step)).map((index) => letters[index] ?? "");
  }
  if (!/^\d+$/.test(begin) || !/^\d+$/.test(end))
    throw new HostRangeError(`[${range}] is not a range of numbers or of letters`);
  const numbers = count(Number(begin), Number(end), Number(step));
  return numbers.map((number) => (isPadded ? String(number).padStart(begin.length, "0") : String(number)));
}

function count(from: number, to: number, step: number): number[] {
  const length = Math.max(0, Math.floor((to - from) / step) + 1);
  if (length > 1_000_000)
    throw new HostRangeError(`[${from}:${to}] would name ${length} hosts; a range may name at most 1000000`);
  return Array.from({ length }, (_, index) => from + index * step);
}
