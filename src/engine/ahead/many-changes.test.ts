import { expect, it, vi } from "vitest";
import { ask, defineKind } from "../../core/facts/kind.ts";
import { Knowledge } from "../host/knowledge.ts";
import { PredictedHost } from "./predicted-host.ts";

const kind = defineKind<{ readonly text: string }>({
  name: "many-changes",
  summary: "a kind with many things",
  facets: {},
  read: () => "",
  parse: () => ({ text: "" }),
});
const thing = (number: number): ReturnType<typeof ask<{ readonly text: string }>> => ask(kind, `/folder/${number}`);
const nearby = (number: number): string[] => [`many-changes:/folder/${number}/**`, "tree:/folder", "entries:/folder"];
const nothing = { disturbed: [], provided: [], touched: [], renewed: [], implied: [], own: [] };

/** Counts how many patterns are compared with ids while `act` runs. */
function comparisons(act: () => void): number {
  const tested = vi.spyOn(RegExp.prototype, "test");
  act();
  const { length } = tested.mock.calls;
  tested.mockRestore();
  return length;
}

/** Simulates check mode: each task predicts its own object and touches the objects around it. */
function planned(count: number): void {
  const knowledge = new Knowledge();
  for (let number = 0; number < count; number += 1) {
    knowledge.learn(thing(number), { text: "old" });
    knowledge.touched(nearby(number), `task ${number}`);
    knowledge.predict(thing(number), { text: "new" }, `task ${number}`);
    expect(knowledge.lookup(thing(number))?.value).toEqual({ text: "new" });
  }
}

/** Simulates a run: each task invalidates what is known about its own object and the objects around it. */
function run(count: number): void {
  const knowledge = new Knowledge();
  for (let number = 0; number < count; number += 1) knowledge.learn(thing(number), { text: "old" });
  for (let number = 0; number < count; number += 1) {
    knowledge.forget([`many-changes:/folder/${number}`, ...nearby(number)]);
    expect(knowledge.lookup(thing(number))).toBeUndefined();
  }
}

/** Simulates the forecast of a run's tasks, one after another. */
function foreseen(count: number): void {
  const knowledge = new Knowledge();
  for (let number = 0; number < count; number += 1) knowledge.learn(thing(number), { text: "old" });
  const predicted = new PredictedHost(knowledge);
  for (let number = 0; number < count; number += 1) {
    predicted.noteChange(number, { ...nothing, touched: nearby(number) }, new Set());
    predicted.predict(number, thing(number), { text: "new" });
    expect(predicted.lookup(thing(number))?.value).toEqual({ text: "new" });
  }
}

it.each([
  ["planning", planned],
  ["running", run],
  ["planning ahead", foreseen],
])("%s twice as many changes compares twice as many patterns, not four times as many", (_, act) => {
  const few = comparisons(() => act(200));
  expect(comparisons(() => act(400))).toBeLessThan(2.2 * few + 200);
});
