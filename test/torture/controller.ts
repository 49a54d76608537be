import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";

const bin = join(import.meta.dirname, "..", "..", "bin", "furrow.js");

/** A furrow that runs, in a process of its own. */
export interface Controller {
  readonly child: ChildProcess;
  /** Its exit code, null where it was killed, and its events. */
  readonly ended: Promise<{ readonly code: number | null; readonly events: readonly Event[]; readonly text: string }>;
}

/** A line of `--json`. */
export type Event = Readonly<Record<string, unknown>> & { readonly type: string };

/** Starts furrow in a folder, with `--json`. */
export function startFurrow(folder: string, ...args: string[]): Controller {
  const child = spawn(process.execPath, [bin, ...args, "--json"], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const text = { out: "", err: "" };
  child.stdout.on("data", (part: Buffer) => (text.out += part.toString()));
  child.stderr.on("data", (part: Buffer) => (text.err += part.toString()));
  return {
    child,
    ended: new Promise((resolve) =>
      child.on("close", (code) => resolve({ code, events: eventsOf(text.out), text: text.out + text.err })),
    ),
  };
}

function eventsOf(text: string): Event[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("{") && line.endsWith("}"))
    .map((line) => JSON.parse(line) as Event);
}

/** What a run came to, task by task, without times and without what is said of the connection. */
export function story(events: readonly Event[]): unknown[] {
  const output = new Map<string, string>();
  return events.flatMap((event) => {
    const title = (event["task"] as { title?: string } | undefined)?.title ?? "";
    if (event.type === "stepOutput") output.set(title, (output.get(title) ?? "") + String(event["text"]));
    if (event.type !== "taskFinished") return [];
    const { outcome, changes, notes, error } = event;
    // apt says how fast it was.
    const said = title.startsWith("package ") ? [] : [output.get(title) ?? ""];
    return [{ title, outcome, changes, notes, error, said }];
  });
}

/** What was said of the connection and of other runs. */
export function warnings(events: readonly Event[]): string[] {
  return events.filter(({ type }) => type === "warning").map(({ text }) => String(text));
}
