import { relative } from "node:path";
import type { Mode, Outcome, TaskLabel } from "../../core/events.ts";

/** A number with its noun: `1 host`, `3 hosts`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** A human-readable duration: `12 ms`, `0.4 s`, `3 min 12 s`. */
export function duration(ms: number): string {
  if (ms < 95) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${whole % 60} s`;
}

/** A human-readable number of bytes: `312 B`, `14.2 kB`, `1.0 GB`. */
export function bytes(number: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const step = number < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(number) / 3));
  const value = number / 1000 ** step;
  return `${step === 0 ? value : value.toFixed(1)} ${units[step] ?? "B"}`;
}

/** The word for an outcome: check mode changes nothing, so "changed" becomes "would change". */
export function outcomeWord(outcome: Outcome, mode: Mode): string {
  return outcome === "changed" && mode === "check" ? "would change" : outcome;
}

/** A task with the groups around it: `boot-server › file /etc/motd on web2`. */
export function taskName({ path, title, on }: TaskLabel): string {
  const groups = path.filter((name) => on === undefined || name !== `on ${on}`);
  return [...groups, title].join(" › ") + (on === undefined ? "" : ` on ${on}`);
}

/** A readable fact id: kind and path if the key is JSON with a path, else the id itself. */
export function factName(id: string): string {
  const [, kind, path] = /^([^:]*):\{"path":("(?:[^"\\]|\\.)*")/s.exec(id) ?? [];
  return kind === undefined || path === undefined ? id : `${kind}:${JSON.parse(path) as string}`;
}

/** A source position, relative to the folder if it is inside. */
export function position(source: string, folder: string): string {
  const near = relative(folder, source);
  return source.startsWith("/") && !near.startsWith("..") && near !== "" ? near : source;
}

/** Host names, cut if there are more than `most`: `web1, web2 and 98 more`. */
export function hostNames(hosts: readonly string[], most = 6): string {
  const shown = hosts.slice(0, most).join(", ");
  return hosts.length > most ? `${shown} and ${hosts.length - most} more` : shown;
}
