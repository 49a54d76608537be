import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { fetch } from "./fetch.ts";

const path = "/etc/rancher/rke2/rke2.yaml";
const there = { type: "file", mode: "0600", owner: "root", group: "root", sha256: "a" };
const copy = { sha256: "a", size: 1, path: "/home/me/kubeconfig", mode: "0644" };
const call = fetch({ path, to: "kubeconfig" });
const fetched = [`fetch ${path} to kubeconfig`];
const hidden = fetch({ path, to: "kubeconfig", secret: true });
const { sha256: _, ...bare } = there;
const sealed = { ...bare, seal: "sealed:a" };
const edited = fetch({ path, to: "kubeconfig", secret: true, through: ["sed", "s/a/b/"] });
const sed = { path: "/usr/bin/sed" };
const sealedCopy = { seal: "sealed:a", size: 1, path: "/home/me/kubeconfig", mode: "0600" };

/** Test cases for `fetch`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  { title: "no copy", call, now: { path: there, copy: absent }, steps: fetched },
  { title: "a copy with the same content", call, now: { path: there, copy }, steps: [] },
  {
    title: "a copy with different content",
    call,
    now: { path: there, copy: { ...copy, sha256: "b" } },
    steps: fetched,
  },
  {
    title: "a copy with a different mode",
    call,
    now: { path: there, copy: { ...copy, mode: "0666" } },
    steps: fetched,
  },
  { title: "a secret's copy with the same content", call: hidden, now: { path: sealed, copy: sealedCopy }, steps: [] },
  {
    title: "a copy of a secret that others can read",
    call: hidden,
    now: { path: sealed, copy: { ...sealedCopy, mode: "0644" } },
    steps: fetched,
  },
  {
    title: "a correct copy of a filter's output",
    call: edited,
    now: { path: bare, program: sed, made: { seal: "sealed:a" }, copy: sealedCopy },
    steps: [],
  },
  {
    title: "the filter's output differs from the copy",
    call: edited,
    now: { path: bare, program: sed, made: { seal: "sealed:b" }, copy: sealedCopy },
    steps: fetched,
  },
  {
    title: "a filter that is not installed on the host",
    call: edited,
    now: { path: bare, program: absent, made: { seal: "sealed:b" }, copy: sealedCopy },
    steps: [],
    refusal: "no-program",
  },
  { title: "nothing there", call, now: { path: absent, copy }, steps: [], refusal: "no-file" },
  {
    title: "a directory",
    call,
    now: { path: { type: "directory", mode: "0755", owner: "root", group: "root" }, copy },
    steps: [],
    refusal: "no-regular-file",
  },
];
