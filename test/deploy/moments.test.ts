import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Event } from "../torture/controller.ts";
import { seeded } from "../seeded.ts";
import { type Calm, drawMoment, type Moment, MomentWatch } from "./moments.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const event = (type: string, title: string): Event => ({ type, host: "one", task: { title } });
const task = (title: string, startMs: number, endMs: number, changed: boolean): Calm["tasks"][number] => ({
  name: `one: ${title}`,
  startMs,
  endMs,
  changed,
});

/** A run that polls for a long time, then makes its last change, and finally only compares. */
const calm: Calm = {
  tasks: [task("install", 100, 200, true), task("wait", 200, 9000, false), task("mark", 9000, 9100, true)].concat(
    task("compare", 9100, 9900, false),
  ),
  startMs: [110, 150, ...Array.from({ length: 80 }, (_, poll) => 300 + poll * 100), 9050, 9200, 9300],
};

/**
 * Simulates a run in which the wait takes no time and starts no program. Returns the point at which the moment was
 * reached.
 */
function quickRun(moment: Moment, { tasks }: Calm = calm): string {
  let now = "the beginning";
  let reached = "never";
  const watch = new MomentWatch(moment, () => (reached = now));
  const says = (what: string, act: () => unknown): void => {
    now = what;
    act();
  };
  for (const { name } of tasks) {
    const title = name.slice("one: ".length);
    says(`begin of ${title}`, () => watch.heard(event("taskStarted", title)));
    if (title !== "wait") says(`a program in ${title}`, () => watch.started());
    says(`work in ${title}`, () => vi.advanceTimersByTime(1));
    says(`end of ${title}`, () => watch.heard(event("taskFinished", title)));
  }
  watch.end();
  return reached;
}

it("reaches every random moment, even in a run that is much faster than the undisturbed one", () => {
  const random = seeded(1);
  const reached = new Set(Array.from({ length: 500 }, () => quickRun(drawMoment(calm, random))));
  expect([...reached].filter((moment) => moment === "never" || moment.includes("compare"))).toEqual([]);
  // Moments may fall in waits, but the task that makes the last change must be hit too.
  for (const moment of ["end of wait", "end of mark", "a program in install"]) expect([...reached]).toContain(moment);
});

it("if no task follows the last change, every moment comes well before the end of the run", () => {
  const random = seeded(1);
  const toTheEnd = { ...calm, tasks: calm.tasks.slice(0, 3) };
  const moments = Array.from({ length: 500 }, () => drawMoment(toTheEnd, random));
  expect(moments.filter((moment) => "start" in moment && moment.until !== "one: wait")).toEqual([]);
  const inLast = moments.flatMap((moment) =>
    "afterMs" in moment && moment.until === "one: mark" ? moment.afterMs : [],
  );
  expect(Math.max(...inLast)).toBeLessThan(50);
  expect(moments.map((moment) => quickRun(moment, toTheEnd))).not.toContain("never");
});

it("waits for the n-th program, or for the given time after a task has begun, if the run takes that long", () => {
  let hits = 0;
  const nth = new MomentWatch({ start: 3, until: "one: mark" }, () => (hits += 1));
  for (const expected of [0, 0, 1, 1]) {
    nth.started();
    expect(hits).toBe(expected);
  }
  const late = new MomentWatch({ afterMs: 500, until: "one: wait" }, () => (hits += 1));
  late.heard(event("taskStarted", "install"));
  vi.advanceTimersByTime(1000);
  late.heard(event("taskStarted", "wait"));
  vi.advanceTimersByTime(499);
  expect(hits).toBe(1);
  vi.advanceTimersByTime(1);
  expect(hits).toBe(2);
});

it("does not act after the end of the run", () => {
  const watch = new MomentWatch({ afterMs: 5, until: "one: wait" }, () => expect.unreachable());
  watch.heard(event("taskStarted", "wait"));
  watch.end();
  vi.advanceTimersByTime(1000);
  watch.heard(event("taskFinished", "wait"));
});
