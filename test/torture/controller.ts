import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";

const bin = join(import.meta.dirname, "..", "..", "bin", "furrow.js");

/** A running furrow, in a separate process. */
export interface Controller {
  readonly child: ChildProcess;
  /** The process's events so far. */
  soFar(): readonly Event[];
  /** Resolves once furrow's events satisfy the condition; rejects if furrow exits first. */
  until(test: (events: readonly Event[]) => boolean): Promise<void>;
  /** The process's events and its exit code, which is null if the process was killed. */
  readonly ended: Promise<{ readonly code: number | null; readonly events: readonly Event[]; readonly text: string }>;
}

/** A line of `--json`. */
export type Event = Readonly<Record<string, unknown>> & { readonly type: string };

/** Starts furrow with `--json` in a folder that is also its home directory. */
export function startFurrow(folder: string, ...args: string[]): Controller {
  return startFurrowAt({ cwd: folder, env: { PATH: process.env["PATH"], HOME: folder, NO_COLOR: "1" } }, args);
}

/**
 * Starts furrow with `--json`.
 *
 * @param listener called with each event as it arrives
 */
export function startFurrowAt(
  place: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
  args: readonly string[],
  listener: (event: Event) => void = () => {},
): Controller {
  const child = spawn(process.execPath, [bin, ...args, "--json"], { ...place, stdio: ["ignore", "pipe", "pipe"] });
  const events: Event[] = [];
  let text = "";
  const lines = createInterface({ input: child.stdout }).on("line", (line) => {
    text += `${line}\n`;
    const event = eventOf(line);
    if (event === undefined) return;
    events.push(event);
    listener(event);
  });
  child.stderr.on("data", (part: Buffer) => (text += part.toString()));
  const ended: Controller["ended"] = new Promise((resolve) =>
    child.on("close", (code) => resolve({ code, events, text })),
  );
  const until = (test: (events: readonly Event[]) => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => void (test(events) && resolve());
      lines.on("line", look);
      ended.then((end) => reject(new Error(`furrow has ended: ${end.text}`))).catch(reject);
      look();
    });
  return { child, ended, soFar: () => events, until };
}

/** Returns undefined for a line that is not an event or is incomplete; a killed furrow may leave an incomplete line. */
function eventOf(line: string): Event | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return JSON.parse(line) as Event;
  } catch {
    return undefined;
  }
}

/**
 * The result of a run, task by task, without times and without reports about the connection. The output of the task
 * whose title contains `talker` is left out too, because that task prints for an unspecified time.
 */
export function story(events: readonly Event[], talker?: string): unknown[] {
  const output = new Map<string, string>();
  return events.flatMap((event) => {
    const title = (event["task"] as { title?: string } | undefined)?.title ?? "";
    if (event.type === "stepOutput") output.set(title, (output.get(title) ?? "") + String(event["text"]));
    if (event.type !== "taskFinished") return [];
    const { outcome, changes, notes, error } = event;
    // apt prints how fast its download was.
    const said =
      title.startsWith("package ") || (talker !== undefined && title.includes(talker)) ? [] : [output.get(title) ?? ""];
    return [{ title, outcome, changes, notes, error, said }];
  });
}

/** Reports about the connection and about other runs. */
export function warnings(events: readonly Event[]): string[] {
  return events.filter(({ type }) => type === "warning").map(({ text }) => String(text));
}
