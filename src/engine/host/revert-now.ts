import { isFurrowError } from "../../core/errors.ts";
import { revertPlay, playUndo } from "../../core/host/play-undo.ts";
import { endStep, undoAnswers } from "../../core/host/undo.ts";
import { now, sleep } from "../../core/world.ts";
import { attempt, firstAttemptSeconds, longerAttempt } from "./confirm-change.ts";
import type { Host } from "./host.ts";

/** Seconds by which the host may exceed the announced time. */
const graceSeconds = 60;

/**
 * Makes the host revert the armed change, and waits until the host has done so. Returns undefined if the host has
 * reverted the change, and otherwise a sentence about the known state of the change. A host that cannot be reached
 * reverts the change by itself, at `dueAt` (in milliseconds of `now()`) at the latest.
 */
export async function revertNow(
  host: Host,
  { withinSeconds, dueAt }: { readonly withinSeconds: number; readonly dueAt: number },
  signal: AbortSignal,
): Promise<string | undefined> {
  const deadline = now() + (withinSeconds + graceSeconds) * 1000;
  let [why, seconds] = ["", firstAttemptSeconds(host, withinSeconds)];
  while (!signal.aborted) {
    const started = now();
    const answer = await attempt(host, endStep(playUndo, ""), signal, seconds).catch(
      (error: unknown) => error as Error,
    );
    if (now() - started >= seconds * 1000) seconds = longerAttempt(seconds);
    if (answer instanceof Error) {
      why = `: ${answer.message}`;
      if (!isFurrowError(answer)) break;
      await host.forgetAndCloseAll();
    } else if (answer.exitCode === undoAnswers.reverted) {
      return undefined;
    } else if (answer.exitCode === undoAnswers.unknown) {
      return "nothing is armed on the host anymore, and there is no record that it has reverted the change";
    } else if (answer.exitCode === undoAnswers.notRestored) {
      return answer.stdout.trim();
    } else if (answer.exitCode === undoAnswers.done) {
      await attempt(host, revertPlay(), signal).catch(() => undefined);
    }
    if (now() > deadline) break;
    await sleep(500, signal).catch(() => undefined);
  }
  const leftSeconds = Math.max(0, Math.ceil((dueAt - now()) / 1000));
  return `the host reverts the change by itself, within ${leftSeconds} s or at a reboot; furrow has not seen it do so${why}`;
}
