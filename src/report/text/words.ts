import { relative } from "node:path";
import type { Mode, Outcome, TaskLabel } from "../../core/events.ts";
import { clusterFactName } from "./cluster-fact-name.ts";

/** Formats a number with its noun: `1 host`, `3 hosts`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** Formats a human-readable duration: `12 ms`, `0.4 s`, `3 min 12 s`. */
export function duration(ms: number): string {
  if (ms < 95) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  const [first, second] = hours > 0 ? [`${hours} h`, `${minutes} min`] : [`${minutes} min`, `${whole % 60} s`];
  return second.startsWith("0 ") ? first : `${first} ${second}`;
}

/** Formats a number of bytes for display: `312 B`, `14.2 kB`, `1.0 GB`. */
export function bytes(number: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const step = number < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(number) / 3));
  const value = number / 1000 ** step;
  return `${step === 0 ? value : value.toFixed(1)} ${units[step] ?? "B"}`;
}

/** Returns the word for an outcome: check mode changes nothing, so "changed" becomes "would change". */
export function outcomeWord(outcome: Outcome, mode: Mode): string {
  return outcome === "changed" && mode === "check" ? "would change" : outcome;
}

/** Returns a task's title with the groups that contain the task: `boot-server › file /etc/motd on web2`. */
export function taskName({ path, title, on }: TaskLabel): string {
  const groups = path.filter((name) => on === undefined || name !== `on ${on}`);
  return [...groups, title].join(" › ") + (on === undefined ? "" : ` on ${on}`);
}

/**
 * Returns a readable form of a fact id: kind and path if the key is JSON with a path, the name of the object for a
 * question about a cluster, otherwise the id itself, without PEM certificates.
 */
export function factName(id: string): string {
  const asked = clusterFactName(id);
  if (asked !== undefined) return asked;
  const [, kind, path] = /^([^:]*):\{"path":("(?:[^"\\]|\\.)*")/s.exec(id) ?? [];
  return kind === undefined || path === undefined ? withoutPem(id) : `${kind}:${JSON.parse(path) as string}`;
}

/** Replaces certificates with the word `given`: several of them fill the screen, and nobody reads them. */
function withoutPem(id: string): string {
  return id.replaceAll(/"(\w+)":"(?:[^"\\]|\\.)*?-----BEGIN (?:[^"\\]|\\.)*"/gs, '"$1":"given"');
}

/** Returns a source position, relative to the folder if the file is inside it. */
export function position(source: string, folder: string): string {
  const near = relative(folder, source);
  return source.startsWith("/") && !near.startsWith("..") && near !== "" ? near : source;
}
