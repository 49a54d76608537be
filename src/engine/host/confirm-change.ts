import { FurrowError, isFurrowError } from "../../core/errors.ts";
import type { Frame } from "../../core/host/frame.ts";
import type { ConfirmStep, RunStep, StepResult } from "../../core/host/step.ts";
import { beginStep, endStep, undoAnswers } from "../../core/host/undo.ts";
import { after, now, sleep } from "../../core/world.ts";
import type { Host } from "./host.ts";

/** The minimum and maximum number of seconds for one attempt to confirm: a new connection, its shell, and one frame. */
const [attemptSeconds, longestAttemptSeconds] = [10, 40];
/** Seconds that the host has to respond again once the revert is due. */
const graceSeconds = 60;

/**
 * Begins a change whose undo is armed, closes the connection, and confirms the change over new ones. Throws FurrowError
 * E_NOT_CONFIRMED if the host reverted the change or has no record of it, E_STEP if the change failed or the host could
 * not restore all files, and E_UNREACHABLE if the host does not respond even after the revert is due.
 */
export async function confirmChange(
  host: Host,
  step: ConfirmStep,
  signal: AbortSignal,
  say: (text: string) => void,
): Promise<void> {
  await oneStep(host, beginStep(step), signal);
  await untilConfirmed(host, { ...step, token: "" }, signal, say);
}

/** A change whose undo is armed. */
export interface BegunChange {
  /** The name of the undo. */
  readonly undo: string;
  readonly withinSeconds: number;
  /** Proof that a connection is newer than the change; empty if the host must provide it first. */
  readonly token: string;
  /** If set, the undo stays armed, and is due after this many seconds. */
  readonly holdSeconds?: number | undefined;
}

/**
 * Seconds for the first attempt. The login may take most of the available time, because the host was slow
 * before or the change has made it slow. Enough time must remain for another attempt, because packets may get lost.
 * The limit doubles after each attempt that times out.
 */
export function firstAttemptSeconds(host: Host, withinSeconds: number): number {
  const before = Math.min(withinSeconds, Math.ceil((host.loginMs * 1.5) / 1000));
  const most = Math.min(withinSeconds * 0.6, longestAttemptSeconds);
  return Math.max(attemptSeconds, Math.floor(most), before);
}

/**
 * Confirms a change over new connections, until the host has confirmed or reverted it. Throws what `confirmChange`
 * throws.
 */
export async function untilConfirmed(
  host: Host,
  { undo, withinSeconds, holdSeconds, ...change }: BegunChange,
  signal: AbortSignal,
  say: (text: string) => void,
): Promise<void> {
  const deadline = now() + (withinSeconds + graceSeconds) * 1000;
  const seen: Seen = { mayBeConfirmed: false };
  let { token } = change;
  let limitSeconds = firstAttemptSeconds(host, withinSeconds);
  for (;;) {
    // A connection that is cut by the change would keep the host locked for a while.
    await host.forgetAndCloseAll();
    await sleep(token === "" ? 1000 : 200, signal);
    const [started, leftSeconds] = [now(), Math.ceil((deadline - now()) / 1000)];
    const seconds = Math.max(attemptSeconds, Math.min(limitSeconds, leftSeconds));
    const answer = await attempt(host, endStep(undo, token, holdSeconds), signal, seconds);
    if (now() - started >= seconds * 1000) limitSeconds = longerAttempt(limitSeconds);
    signal.throwIfAborted();
    if (isFurrowError(answer)) {
      if (seen.error?.message !== answer.message) say(`no new connection yet: ${answer.message}`);
      seen.error = answer;
      seen.mayBeConfirmed ||= token !== "";
    } else {
      const text = answer.stdout.trim();
      if (answer.exitCode === undoAnswers.confirmed) return;
      // An earlier attempt confirmed the change, but its answer was lost, so the host has no record of the change
      // anymore.
      if (answer.exitCode === undoAnswers.unknown && seen.mayBeConfirmed) return;
      if (answer.exitCode === undoAnswers.unknown) throw unknown(host);
      if (answer.exitCode === undoAnswers.notRestored) throw notRestored(host, seen, text);
      if (answer.exitCode === undoAnswers.reverted) throw reverted(host, withinSeconds, seen, text);
      if (answer.exitCode === undoAnswers.done) token = text;
      if (answer.exitCode === undoAnswers.failed) seen.failed = text === "" ? "it printed nothing" : text;
      if (answer.exitCode === undoAnswers.withoutEffect) {
        if (text !== seen.without) say(`not confirmed yet: ${text}`);
        seen.without = text;
        await host.forgetAndCloseAll();
        await sleep(800, signal);
      }
    }
    if (now() > deadline) throw gone(host, withinSeconds, seen.error);
  }
}

/** Seconds for the attempt after one that timed out. */
export function longerAttempt(seconds: number): number {
  return Math.max(seconds, Math.min(seconds * 2, longestAttemptSeconds));
}

/** The results of the attempts to confirm. */
interface Seen {
  /** The last connection failure. */
  error?: FurrowError;
  /** The output of the failed change. */
  failed?: string;
  /** Why the change has not taken effect. */
  without?: string;
  /**
   * True if an attempt that could have confirmed the change failed: the host may have confirmed it, but its answer was
   * lost.
   */
  mayBeConfirmed: boolean;
}

/**
 * Asks once, within a time limit. If the host cannot be reached, or a different host answers at its address, the result
 * is that the change is not confirmed.
 */
export async function attempt(
  host: Host,
  step: RunStep,
  signal: AbortSignal,
  seconds = attemptSeconds,
): Promise<StepResult | FurrowError> {
  const limit = new AbortController();
  const timer = after(seconds * 1000, () =>
    limit.abort(new FurrowError("E_UNREACHABLE", { what: `no answer within ${seconds} s` })),
  );
  try {
    return await oneStep(host, step, AbortSignal.any([signal, limit.signal]));
  } catch (error) {
    if (signal.aborted) throw error;
    const reason: unknown = limit.signal.aborted ? limit.signal.reason : error;
    if (isFurrowError(reason)) return reason;
    throw error;
  } finally {
    timer.cancel();
  }
}

/** Performs one step in a frame of its own. Throws FurrowError. */
export async function oneStep(host: Host, step: RunStep, signal: AbortSignal): Promise<StepResult> {
  const frame: Frame = { items: [{ item: "steps", task: "confirm", steps: [step] }] };
  const [result] = await host.frame(frame, signal);
  if (result?.item === "steps" && result.failed) throw result.failed.error;
  const first = result?.item === "steps" ? result.results[0] : undefined;
  if (first === undefined)
    throw new FurrowError("E_PROTOCOL", { what: "the host did not report the result of the change" });
  return first;
}

function reverted(host: Host, withinSeconds: number, seen: Seen, printed: string): FurrowError {
  const where = { host: host.name };
  if (seen.failed !== undefined) {
    return new FurrowError("E_STEP", {
      what: "the change failed, and the host has reverted it",
      where,
      details: seen.failed.split("\n"),
      hint: "Fix the problem that the host's own tool reports; the host is as it was before this task",
    });
  }
  const found = seen.without ?? (printed === "" ? seen.error?.message : printed);
  return new FurrowError("E_NOT_CONFIRMED", {
    what: `the change was not confirmed over a new connection within ${withinSeconds} s, and the host has reverted it`,
    where,
    ...(found !== undefined && { current: found }),
    expected: "a new connection at the address in the inventory, and the change in effect",
    hint: "Correct the task's params; the host is as it was before this task",
  });
}

function unknown(host: Host): FurrowError {
  return new FurrowError("E_NOT_CONFIRMED", {
    what: "the change was not confirmed: the host no longer has a record of this run's change",
    where: { host: host.name },
    current: "nothing is armed, and there is no record that the host reverted the change",
    expected: "the change that this run began",
    hint: "Look at the host's configuration: another run or a person has removed the armed undo from /var/lib/furrow/undo",
  });
}

function notRestored(host: Host, seen: Seen, printed: string): FurrowError {
  const found = seen.failed ?? seen.without ?? seen.error?.message;
  return new FurrowError("E_STEP", {
    what: "the change was not confirmed, and the host could not revert it entirely",
    where: { host: host.name },
    details: [printed, ...(found?.split("\n") ?? [])],
    hint: "Restore these files by hand; the log is below /var/lib/furrow/undo, in a folder named reverted",
  });
}

function gone(host: Host, withinSeconds: number, error: FurrowError | undefined): FurrowError {
  return new FurrowError("E_UNREACHABLE", {
    what: `the host does not respond, although it should have reverted the change after ${withinSeconds} s`,
    where: { host: host.name },
    ...(error && { current: error.message }),
    hint: "Check its console: /var/lib/furrow/undo contains the saved files and a log. A reboot also reverts the change",
  });
}
