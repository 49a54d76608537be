import type { Event } from "../torture/controller.ts";

/** How a task finished, from furrow's events. */
interface End {
  readonly title: string;
  readonly outcome: string;
  readonly code: string | undefined;
  readonly text: string;
  readonly notes: readonly string[];
}

/** The results of all tasks, in order. */
export function ends(events: readonly Event[]): End[] {
  return events
    .filter(({ type }) => type === "taskFinished")
    .map((event) => {
      const error = event["error"] as Record<string, unknown> | undefined;
      const task = event["task"] as { readonly title: string };
      return {
        title: task.title,
        outcome: String(event["outcome"]),
        code: error?.["code"] as string | undefined,
        text: JSON.stringify(error ?? ""),
        notes: event["notes"] as readonly string[],
      };
    });
}
