import { absent } from "../../src/authoring.ts";
import { freshIndex } from "../../src/facts/catalogue.ts";
import type { Case } from "../../src/testing/index.ts";
import { packageIndex } from "./package-index.ts";

const manager = { name: "apt" };
const call = packageIndex({});
const fetched = ["fetch the package index with apt"];

/** Test cases for `packageIndex`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  { title: "a fresh index", call, now: { manager, index: { ...freshIndex, ageMinutes: 59 } }, steps: [] },
  { title: "no index", call, now: { manager, index: { ...freshIndex, filled: false } }, steps: fetched },
  { title: "new repositories", call, now: { manager, index: { ...freshIndex, outdated: true } }, steps: fetched },
  { title: "an old index", call, now: { manager, index: { ...freshIndex, ageMinutes: 60 } }, steps: fetched },
  {
    title: "a given package manager",
    call: packageIndex({ manager: "dnf" }),
    now: { manager: absent, index: { ...freshIndex, ageMinutes: 600 } },
    steps: ["fetch the package index with dnf"],
  },
  {
    title: "no package manager",
    call,
    now: { manager: absent, index: freshIndex },
    steps: [],
    refusal: "no-package-manager",
  },
];
