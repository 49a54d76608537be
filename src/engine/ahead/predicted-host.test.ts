import { expect, test } from "vitest";
import { freshIndex, packageIndexState } from "../../facts/packages/package-index.ts";
import { Knowledge } from "../host/knowledge.ts";
import { PredictedHost } from "./predicted-host.ts";

const index = packageIndexState();
const old = { filled: true, outdated: true, ageMinutes: 3000 };
const nothing = { disturbed: [], provided: [], touched: [], renewed: [], implied: [], own: [] };

function predictedAfter(effects: object): PredictedHost {
  const knowledge = new Knowledge();
  knowledge.learn(index, old);
  const predicted = new PredictedHost(knowledge);
  predicted.disturb(0, { ...nothing, ...effects }, new Set());
  return predicted;
}

test("what is planned behind a change that may have done anything takes an age as it was", () => {
  const predicted = predictedAfter({ disturbed: ["everything"] });
  expect(predicted.lookup(index)?.value).toEqual(old);
  // A guard holds the rest: an age says nothing of a change.
  expect(predicted.isSettled(index)).toBe(false);
  predicted.hold(predicted.holdsFor([index]));
  expect(predicted.isSettled(index)).toBe(true);
});

test("what is planned behind an installation takes the package index for fetched", () => {
  const predicted = predictedAfter({ disturbed: ["everything"], renewed: ["packageIndex:**"] });
  expect(predicted.lookup(index)?.value).toEqual(freshIndex);
});
