import type { Ran } from "./clone.ts";

/** The outcome of a task in the JSON lines that a command has printed. */
export function outcomeOf({ output }: Ran, title: RegExp): string | undefined {
  const events = output
    .split(/\r?\n/)
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as { type: string; outcome?: string; task?: { title: string } });
  return events.find(({ type, task }) => type === "taskFinished" && title.test(task?.title ?? ""))?.outcome;
}

/** Matches the title of the preflight check of a host's size, KVM support, disks and ports. */
export const hostReady = /^the host can run 1 node/;
