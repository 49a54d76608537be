import { expect, test } from "vitest";
import { freshIndex, packageIndexState } from "../../facts/packages/package-index.ts";
import { Knowledge } from "../host/knowledge.ts";
import { Shadow } from "./predicted-host.ts";

const index = packageIndexState();
const old = { filled: true, outdated: true, ageMinutes: 3000 };
const nothing = { disturbed: [], provided: [], touched: [], renewed: [], implied: [], own: [] };

function shadowAfter(effects: object): Shadow {
  const knowledge = new Knowledge();
  knowledge.learn(index, old);
  const shadow = new Shadow(knowledge);
  shadow.disturb(0, { ...nothing, ...effects }, new Set());
  return shadow;
}

test("what is planned behind a change that may have done anything takes an age as it was", () => {
  const shadow = shadowAfter({ disturbed: ["everything"] });
  expect(shadow.lookup(index)?.value).toEqual(old);
  // A guard holds the rest: an age says nothing of a change.
  expect(shadow.isSettled(index)).toBe(false);
  shadow.hold(shadow.holdsFor([index]));
  expect(shadow.isSettled(index)).toBe(true);
});

test("what is planned behind an installation takes the package index for fetched", () => {
  const shadow = shadowAfter({ disturbed: ["everything"], renewed: ["packageIndex:**"] });
  expect(shadow.lookup(index)?.value).toEqual(freshIndex);
});
