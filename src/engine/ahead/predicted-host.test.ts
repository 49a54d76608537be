import { expect, test } from "vitest";
import { absent } from "../../core/facts/symbols.ts";
import { file } from "../../facts/files/file.ts";
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
  // A guard checks the other parts, but not the age, which changes by itself.
  expect(predicted.isSettled(index)).toBe(false);
  predicted.addChecks(predicted.checksFor([index]));
  expect(predicted.isSettled(index)).toBe(true);
});

test("assumes after a predicted installation that the package index is fresh", () => {
  const predicted = predictedAfter({ disturbed: ["everything"], renewed: ["packageIndex:**"] });
  expect(predicted.lookup(index)?.value).toEqual(freshIndex);
});

test("checks all facets of a file that a task asks about twice", () => {
  const knowledge = new Knowledge();
  knowledge.learn(file("/etc/motd", ["size"]), { type: "file", mode: "0644", owner: "root", group: "root", size: 3 });
  const predicted = new PredictedHost(knowledge);
  predicted.noteChange(0, { ...nothing, disturbed: ["everything"] }, new Set());
  predicted.addChecks(predicted.checksFor([file("/etc/motd", ["size"]), file("/etc/motd")]));
  expect(predicted.expectations(0).map(({ question }) => question.facets)).toEqual([["size"]]);
});

test("predicts that a missing directory exists after a change creates a file in it", () => {
  const knowledge = new Knowledge();
  for (const path of ["/srv/app", "/srv/app/conf"]) knowledge.learn(file(path), absent);
  const predicted = new PredictedHost(knowledge);
  const made = { type: "file", mode: "0644", owner: "root", group: "root" };
  predicted.noteChange(0, { ...nothing, disturbed: ["file:/srv/app/conf"] }, new Set());
  predicted.predict(0, file("/srv/app/conf"), made);
  expect(predicted.lookup(file("/srv/app"))?.value).toMatchObject({ type: "directory" });
  expect(predicted.isSettled(file("/srv/app"))).toBe(false);
});
