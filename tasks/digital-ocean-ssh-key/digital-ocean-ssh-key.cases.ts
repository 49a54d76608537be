import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { digitalOceanSshKey } from "./digital-ocean-ssh-key.ts";

const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEtVyUwBxUtUWrHl9L8ReFxpKg2ThgNQ6zXWyQOFvVwC";
const call = digitalOceanSshKey({ name: "web", publicKey: `${publicKey} me@here` });
const removal = digitalOceanSshKey({ name: "web", state: "absent" });
const key = { id: "1", publicKey };
const other = { id: "2", publicKey: "ssh-ed25519 BBBB" };

/** Test cases for `digitalOceanSshKey`: the registered keys, and what the task does. */
export const cases: readonly Case[] = [
  { title: "no key", call, now: { own: absent, same: absent }, steps: ["register the SSH key web"] },
  { title: "up to date", call, now: { own: key, same: key }, steps: [] },
  { title: "registered under another name", call, now: { own: absent, same: key }, steps: [] },
  {
    title: "another key under this name",
    call,
    now: { own: other, same: absent },
    steps: ["delete the SSH key web", "register the SSH key web"],
  },
  {
    title: "another key under this name, and this key under another name",
    call,
    now: { own: other, same: key },
    steps: [],
    refusal: "key-taken",
  },
  { title: "a key to delete", call: removal, now: { own: key }, steps: ["delete the SSH key web"] },
  { title: "gone", call: removal, now: { own: absent }, steps: [] },
];
