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
  predicted.noteChange(0, { ...nothing, ...effects }, new Set());
  return predicted;
}

test("keeps a known age after a predicted change that may touch anything", () => {
  const predicted = predictedAfter({ disturbed: ["everything"] });
  expect(predicted.lookup(index)?.value).toEqual(old);
  // A guard checks the other parts; the age is left out, because it does not show a change.
  expect(predicted.isSettled(index)).toBe(false);
  predicted.addChecks(predicted.checksFor([index]));
  expect(predicted.isSettled(index)).toBe(true);
});

test("assumes after a predicted installation that the package index is fresh", () => {
  const predicted = predictedAfter({ disturbed: ["everything"], renewed: ["packageIndex:**"] });
  expect(predicted.lookup(index)?.value).toEqual(freshIndex);
});
