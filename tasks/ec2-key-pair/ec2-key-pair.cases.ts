import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { ec2KeyPair } from "./ec2-key-pair.ts";

const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEtVyUwBxUtUWrHl9L8ReFxpKg2ThgNQ6zXWyQOFvVwC";
const call = ec2KeyPair({ name: "web", publicKey: `${publicKey} me@here`, tags: { team: "a" } });
const removal = ec2KeyPair({ name: "web", state: "absent" });
const pair = { id: "key-1", publicKey, ours: true, tags: { team: "a", other: "b" } };

/** Test cases for `ec2KeyPair`: each gives the state of EC2 and what the task does in that state. */
export const cases: readonly Case[] = [
  { title: "no key pair", call, now: { pair: absent }, steps: ["import the key pair web"] },
  { title: "already up to date", call, now: { pair }, steps: [] },
  { title: "other tags", call, now: { pair: { ...pair, tags: {} } }, steps: ["tag the key pair web"] },
  {
    title: "another key, imported by furrow",
    call,
    now: { pair: { ...pair, publicKey: "ssh-ed25519 BBBB" } },
    steps: ["delete the key pair web", "import the key pair web"],
  },
  { title: "the same key, imported by hand", call, now: { pair: { ...pair, ours: false, tags: {} } }, steps: [] },
  {
    title: "another key, not imported by furrow",
    call,
    now: { pair: { ...pair, ours: false, publicKey: "ssh-ed25519 BBBB" } },
    steps: [],
    refusal: "not-ours",
  },
  { title: "a key pair to delete", call: removal, now: { pair }, steps: ["delete the key pair web"] },
  { title: "gone", call: removal, now: { pair: absent }, steps: [] },
  {
    title: "not imported by furrow, but deletion is requested",
    call: removal,
    now: { pair: { ...pair, ours: false } },
    steps: [],
    refusal: "not-ours",
  },
  {
    title: "no key given",
    call: ec2KeyPair({ name: "web" }),
    now: { pair: absent },
    steps: [],
    refusal: "no-public-key",
  },
];
