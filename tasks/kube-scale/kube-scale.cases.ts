import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { kubeScale } from "./kube-scale.ts";

const web = { apiVersion: "apps/v1", kind: "Deployment", name: "web", namespace: "shop", kubeconfig: "kubeconfig" };
const three = kubeScale({ ...web, replicas: 3 });
const zero = kubeScale({ ...web, replicas: 0 });
const unwaited = kubeScale({ ...web, replicas: 3, wait: false });
const expecting = kubeScale({ ...web, replicas: 3, currentReplicas: 1 });
const anyway = kubeScale({ ...web, replicas: 3, allowAutoscaler: true });
const { namespace: _, ...wide } = web;
const everywhere = kubeScale({ ...wide, apiVersion: "camp.example.com/v1", kind: "Camp", replicas: 3 });

const at = (replicas: number, more: object = {}) => ({
  exists: true,
  replicas,
  running: replicas,
  ready: replicas,
  isOutdated: false,
  uid: "1",
  ...more,
});
const nothing = { exists: false, replicas: absent, running: absent, ready: absent, isOutdated: false };
const problem = (code: string) => ({ problem: { code, message: `the server says ${code}`, hint: "Correct it" } });
const none = { autoscalers: [] };
const one = (least: number) => ({ autoscalers: [{ name: "web", least }] });

/** What `kubeScale` does, for each state of the object. */
export const cases: readonly Case[] = [
  { title: "the number is correct", call: three, now: { scale: at(3), autoscalers: none }, steps: [] },
  {
    title: "a different number of replicas",
    call: three,
    now: { scale: at(1), autoscalers: none, server: {} },
    steps: ["scale Deployment shop/web to 3"],
  },
  {
    title: "no number of replicas",
    call: three,
    now: { scale: at(0, { replicas: absent, ready: absent }), autoscalers: none, server: {} },
    steps: ["scale Deployment shop/web to 3"],
  },
  {
    title: "an earlier run has set the number, but the controller has not caught up",
    call: three,
    now: { scale: at(3, { running: 1, ready: 0 }), autoscalers: none },
    steps: ["wait for Deployment shop/web to have 3"],
  },
  {
    title: "the controller has not seen the last change",
    call: three,
    now: { scale: at(3, { isOutdated: true }), autoscalers: none },
    steps: ["wait for Deployment shop/web to have 3"],
  },
  {
    title: "a kind that does not report readiness",
    call: three,
    now: { scale: at(3, { ready: absent }), autoscalers: none },
    steps: [],
  },
  {
    title: "without waiting for the controller",
    call: unwaited,
    now: { scale: at(3, { running: 1, ready: 0 }), autoscalers: none },
    steps: [],
  },
  {
    title: "the number of replicas equals currentReplicas",
    call: expecting,
    now: { scale: at(1), autoscalers: none, server: {} },
    steps: ["scale Deployment shop/web to 3"],
  },
  {
    title: "the number of replicas differs from currentReplicas, but is already the wanted one",
    call: expecting,
    now: { scale: at(3), autoscalers: none },
    steps: [],
  },
  {
    title: "the number of replicas is neither currentReplicas nor the wanted one",
    call: expecting,
    now: { scale: at(2), autoscalers: none, server: {} },
    steps: [],
    refusal: "other-number",
  },
  {
    title: "an autoscaler controls the number",
    call: three,
    now: { scale: at(1), autoscalers: one(1), server: {} },
    steps: [],
    refusal: "autoscaled",
  },
  {
    title: "an autoscaler has just chosen the wanted number",
    call: three,
    now: { scale: at(3), autoscalers: one(1) },
    steps: [],
    refusal: "autoscaled",
  },
  {
    title: "an autoscaler is inactive at 0 replicas",
    call: zero,
    now: { scale: at(3), autoscalers: one(1), server: {}, ending: { pods: [] } },
    steps: ["scale Deployment shop/web to 0"],
  },
  {
    title: "no replicas, but a pod that still runs while it is being deleted",
    call: zero,
    now: { scale: at(0), autoscalers: none, ending: { pods: ["web-1"] } },
    steps: ["wait for Deployment shop/web to have 0"],
  },
  {
    title: "no replicas, and all pods are gone",
    call: zero,
    now: { scale: at(0), autoscalers: none, ending: { pods: [] } },
    steps: [],
  },
  {
    title: "no replicas, and the pods may not be listed",
    call: zero,
    now: { scale: at(0), autoscalers: none, ending: { pods: [], unseen: "you may not" } },
    steps: [],
  },
  {
    title: "an autoscaler may choose 0 itself",
    call: zero,
    now: { scale: at(3), autoscalers: one(0), server: {}, ending: { pods: [] } },
    steps: [],
    refusal: "autoscaled",
  },
  {
    title: "the autoscalers cannot be read",
    call: three,
    now: { scale: at(1), autoscalers: { ...none, ...problem("autoscalers-unseen") }, server: {} },
    steps: [],
    refusal: "autoscalers-unseen",
  },
  {
    title: "the autoscalers do not matter",
    call: anyway,
    now: { scale: at(1), server: {} },
    steps: ["scale Deployment shop/web to 3"],
  },
  {
    title: "a cluster-scoped object",
    call: everywhere,
    now: { scale: at(1, { ready: absent }), server: {} },
    steps: ["scale Camp web to 3"],
  },
  {
    title: "the server would refuse the number",
    call: three,
    now: { scale: at(1), autoscalers: none, server: problem("forbidden") },
    steps: [],
    refusal: "forbidden",
  },
  {
    title: "the effect of a webhook cannot be previewed",
    call: three,
    now: { scale: at(1), autoscalers: none, server: { unasked: "a webhook does not support dry run" } },
    steps: ["scale Deployment shop/web to 3"],
  },
  {
    title: "no such object",
    call: three,
    now: { scale: { ...nothing, ...problem("no-object") }, autoscalers: none },
    steps: [],
    refusal: "no-object",
  },
];
