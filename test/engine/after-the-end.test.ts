import { expect, test } from "vitest";
import { runPlays } from "./runs.ts";
import { set } from "./toy-tasks.ts";

test("no event follows the end of a run: Ctrl-C while the sessions close prints nothing", async () => {
  const stop = new AbortController();
  const { events, result } = await runPlays([{ hosts: "all", tasks: () => [set({ cell: "one", v: 1 })] }], {
    request: { stop: stop.signal },
    watch: ({ type }) => {
      if (type === "runFinished") queueMicrotask(() => stop.abort());
    },
  });
  await new Promise(setImmediate);
  expect(events.at(-1)?.type).toBe("runFinished");
  expect(result.interrupted).toBe(false);
});
