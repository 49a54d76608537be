import { expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { explain } from "../../src/testing/index.ts";
import { forgetKubeconfig } from "./forget-kubeconfig.ts";

const call = forgetKubeconfig({ kubeconfig: "k", nodes: ["lab-1"], publicAddress: "203.0.113.10" });
const copy = { server: "https://203.0.113.10:6443", ca: "a" };
const now = { copy, keys: { kept: true as const }, records: [absent] };

test("removes the kubeconfig of the cluster, if it is still the one that was read", () => {
  expect(explain(call, now).steps).toEqual([
    expect.objectContaining({ request: { path: "k", seen: copy }, label: "remove k and k.known_hosts" }),
  ]);
});

test("keeps a kubeconfig that also has the context of another cluster, and removes the host keys", () => {
  const { steps, notes } = explain(call, { ...now, copy: { ...copy, others: ["production"] } });
  expect(steps).toEqual([expect.objectContaining({ request: { path: "k", hostKeys: true } })]);
  expect(notes).toEqual([
    "the kubeconfig k stays: it also has other contexts (production); remove this cluster from it yourself",
  ]);
});

test("removes only the host keys if there is no kubeconfig, because one that is created in the meantime is not furrow's", () => {
  expect(explain(call, { ...now, copy: absent }).steps).toEqual([
    expect.objectContaining({ request: { path: "k", hostKeys: true } }),
  ]);
});

test("keeps everything that belongs to another cluster", () => {
  const other = { ...copy, server: "https://203.0.113.99:6443" };
  expect(explain(call, { ...now, copy: other }).steps).toEqual([]);
});
