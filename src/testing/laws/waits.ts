import { sayError, type Tried } from "./subject.ts";

/** A wait must state what it waits for, how often it checks, and how long it waits at most. */
export function waitLaws({ module, params, case: { title } }: Tried): string[] {
  if (module.poll === undefined) return [];
  try {
    const { intervalSeconds, deadlineSeconds, consecutive = 1, waitsFor } = module.poll(params as never);
    return [
      ...(intervalSeconds > 0 && deadlineSeconds > 0 ? [] : ["interval and deadline must be more than 0 seconds"]),
      ...(Number.isInteger(consecutive) && consecutive >= 1 ? [] : ["consecutive must be a whole number, 1 or more"]),
      ...(waitsFor.trim() === "" || waitsFor.includes("\n") ? ["waitsFor is not one line of text"] : []),
    ].map((sentence) => `case "${title}": ${sentence}`);
  } catch (error) {
    return [`case "${title}": the poll function fails: ${sayError(error)}`];
  }
}
