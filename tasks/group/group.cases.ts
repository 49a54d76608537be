import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { group } from "./group.ts";

const there = { gid: 1500, primaryOf: [] };

/** Test cases for `group`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  { title: "no such group", call: group({ name: "web" }), now: { group: absent }, steps: ["groupadd -- web"] },
  {
    title: "no such system group",
    call: group({ name: "web", gid: 480, system: true }),
    now: { group: absent, holder: absent },
    steps: ["groupadd -r -g 480 -- web"],
  },
  { title: "already up to date", call: group({ name: "web", gid: 1500 }), now: { group: there }, steps: [] },
  { title: "up to date, with any GID", call: group({ name: "web" }), now: { group: there }, steps: [] },
  {
    title: "a different GID",
    call: group({ name: "web", gid: 1600 }),
    now: { group: there, holder: absent },
    steps: ["groupmod -g 1600 -- web"],
  },
  {
    title: "a different GID for a group of a directory service",
    call: group({ name: "web", gid: 1600 }),
    now: { group: { ...there, local: false }, holder: absent },
    steps: [],
    refusal: "account-not-local",
  },
  {
    title: "a group of a directory service to remove",
    call: group({ name: "web", state: "absent" }),
    now: { group: { ...there, local: false } },
    steps: [],
    refusal: "account-not-local",
  },
  {
    title: "a GID that another group has",
    call: group({ name: "web", gid: 1600 }),
    now: { group: absent, holder: { name: "other" } },
    steps: [],
    refusal: "number-taken",
  },
  {
    title: "a group to remove",
    call: group({ name: "web", state: "absent" }),
    now: { group: there },
    steps: ["groupdel -- web"],
  },
  { title: "gone", call: group({ name: "web", state: "absent" }), now: { group: absent }, steps: [] },
  {
    title: "the primary group of a user",
    call: group({ name: "web", state: "absent" }),
    now: { group: { gid: 1500, primaryOf: ["ana"] } },
    steps: [],
    refusal: "primary-group",
  },
];
