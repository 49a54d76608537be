import { createHash } from "node:crypto";
import type { FarHost, Folder, Process } from "./far-host.ts";
import type { Asked, FramePart, FrameText } from "./frame-text.ts";

/** Where a frame runs: in a runner with a folder, or directly in the session's shell. */
export interface FrameRun {
  readonly host: FarHost;
  readonly run: string;
  readonly process: Process;
  readonly folder: Folder | undefined;
  /** Receives the output. */
  readonly print: (text: string) => void;
  /**
   * Shows the output of the running step so far, if a shell is following the frame. Called without text once the step
   * has ended.
   */
  readonly show?: (text: string | undefined) => void;
}

/** How long an operation takes on a host, in milliseconds: mostly short, sometimes long. */
export function duration(host: FarHost, long: number): number {
  const { random } = host.options;
  const kind = random(100);
  if (kind < 70) return random(20);
  return kind < 100 - long ? random(400) : 300 + random(4000);
}

interface FrameState {
  failed: boolean;
  /** The title of the running task. */
  title: string;
  /** When the frame began. */
  readonly since: number;
}

/** Executes a frame to its end, following the rules in its text. */
export async function performFrame({ nonce, parts, always }: FrameText, run: FrameRun): Promise<void> {
  const state: FrameState = { failed: false, title: "", since: run.host.options.world.now() };
  run.host.counts.frames += 1;
  for (const part of parts) {
    const goesOn = await performPart(part, nonce, run, state);
    if (!run.process.alive) return;
    if (!goesOn) break;
  }
  for (const part of state.failed ? [] : always) await performPart(part, nonce, run, state);
  if (run.process.alive) run.print(`${nonce} X\n`);
}

async function performPart(part: FramePart, nonce: string, run: FrameRun, state: FrameState): Promise<boolean> {
  const { host, folder } = run;
  switch (part.part) {
    case "read":
      await host.options.world.pause(duration(host, 2));
      if (run.process.alive)
        run.print(`${nonce} R ${part.item}\n${answer(host, part.asked)}\n${nonce} r ${part.item}\n`);
      return true;
    case "guard": {
      await host.options.world.pause(duration(host, 2));
      if (!run.process.alive) return false;
      const lines = answer(host, part.asked);
      run.print(`${nonce} R ${part.item}\n${lines}\n${nonce} r ${part.item}\n`);
      const held = holds(lines, part);
      if (!held) host.counts.guardsFailed += 1;
      run.print(`${nonce} G ${part.item} ${held ? 1 : 0}\n`);
      return held;
    }
    case "border": {
      const before = state.title;
      state.title = part.title;
      const late = folder !== undefined && host.uptime - folder.lease > 300;
      if (folder && (folder.stop || folder.wanted || late)) {
        if (before === "") folder.task = `stopped ${part.title}`;
        run.print(`${nonce} Z ${part.item} ${late ? "lease" : folder.stop ? "stop" : "wanted"}\n`);
        state.failed = true;
        return false;
      }
      lookForStop(part.title, run, state.since);
      if (folder) folder.task = `began ${part.title}`;
      run.print(`${nonce} T ${part.item}\n`);
      return true;
    }
    case "done":
      if (folder) folder.task = `ok ${state.title}`;
      return true;
    case "step":
      return performStep(part, nonce, run, state);
  }
}

/**
 * How many milliseconds a stop order may take to reach a host. furrow opens a shell for the order, and repeats an order
 * that arrives too early.
 */
const orderMs = 3000;

/** Reports a violation if the host begins a task long after the stop order. */
function lookForStop(title: string, { host, folder }: FrameRun, since: number): void {
  const { stopAt, world, violated } = host.options;
  if (stopAt === undefined || folder === undefined) return;
  const late = world.now() - Math.max(stopAt, since);
  if (late > orderMs) violated(`${host.options.name}: ${title} begins ${Math.round(late)} ms after a stop order`);
}

async function performStep(
  part: Extract<FramePart, { part: "step" }>,
  nonce: string,
  run: FrameRun,
  state: FrameState,
): Promise<boolean> {
  const { host, folder, process } = run;
  const own = host.start();
  if (folder) folder.current = { process: own, uncut: part.uncut };
  const ms = duration(host, 12);
  await host.options.world.pause(ms / 2);
  // A step takes effect halfway through, so a step that is killed earlier has no effect.
  const killed = (): boolean => !own.alive || !process.alive;
  const done = killed() ? { exitCode: 143, stdout: "", stderr: "" } : host.perform(run.run, part.argv);
  const out = Buffer.from(done.stdout);
  const some = host.options.random(out.length + 1);
  if (some > 0) run.show?.(`${nonce} V ${part.id} o 0 ${some}\n${out.subarray(0, some).toString("latin1")}`);
  await host.options.world.pause(ms / 2);
  const exitCode = own.alive ? done.exitCode : 143;
  run.show?.(undefined);
  host.end(own);
  if (folder) folder.current = undefined;
  if (!process.alive) return false;
  if (out.length > 0) run.print(`${nonce} O ${part.id} o 0 ${out.length}\n${out.toString("latin1")}`);
  run.print(`${nonce} S ${part.id} ${exitCode}\n`);
  if (part.ok.includes(String(exitCode))) return true;
  if (folder) folder.task = `failed ${exitCode} ${state.title}`;
  state.failed = true;
  return false;
}

/** The output of a kind's script: lines of the form `NUMBER NAME=VALUE`. */
function answer(host: FarHost, asked: readonly Asked[]): string {
  return asked
    .flatMap(({ number, key }) => host.lines(key).map(([name, value]) => `${number} ${name}=${value}\n`))
    .join("");
}

/** A guard succeeds if it sees exactly the expected lines, each once; the open lines are ignored. */
function holds(lines: string, { expected, open, count }: Extract<FramePart, { part: "guard" }>): boolean {
  let left = count;
  for (const line of lines.split("\n").filter((one) => one !== "")) {
    const number = line.slice(0, line.indexOf(" "));
    const name = line.slice(0, line.indexOf("="));
    if (open.has(`${number} *`) || open.has(`${name}=`)) continue;
    const short = line.length > 400 ? `${name}#${createHash("sha256").update(line).digest("hex")}` : line;
    if (!expected.has(short)) return false;
    left -= 1;
  }
  return left === 0;
}
