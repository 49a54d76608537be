import type { Case } from "../../src/testing/index.ts";
import { kubeExec } from "./kube-exec.ts";

const base = { kubeconfig: "kubeconfig", namespace: "shop", command: ["nginx", "-s", "reload"] };
const always = kubeExec({ ...base, pod: "web-1", always: true, stdin: "yes\n" });
const reading = kubeExec({ ...base, pod: "web-1", readOnly: true });
const unless = kubeExec({ ...base, pod: "web-1", unless: ["test", "-e", "/run/done"], readOnly: true });
const one = kubeExec({ ...base, labels: { app: "web" }, always: true });
const each = kubeExec({ ...base, labels: { app: "web" }, each: true, always: true });
const eachUnless = kubeExec({
  ...base,
  labels: { app: "web" },
  each: true,
  unless: "test -e /run/done",
  readOnly: true,
});
const named = kubeExec({ ...base, pod: "web-1", container: "nginx", always: true });

const pod = (name: string, more: object = {}) => ({
  name,
  uid: `uid of ${name}`,
  phase: "Running",
  reason: "",
  isBeingDeleted: false,
  containers: { nginx: "running" },
  ...more,
});
const now = (...pods: readonly ReturnType<typeof pod>[]) => ({ pods: { pods }, others: true });
const two = { containers: { nginx: "running", sidecar: "running" } };

/** What `kubeExec` does, for each set of pods. */
export const cases: readonly Case[] = [
  {
    title: "a pod that runs",
    call: always,
    now: { ...now(pod("web-1")), ran: false },
    steps: ["nginx -s reload in web-1"],
  },
  {
    title: "a command that only reads",
    call: reading,
    now: { ...now(pod("web-1")), ran: false },
    steps: ["nginx -s reload in web-1"],
  },
  {
    title: "`unless` fails",
    call: unless,
    now: { ...now(pod("web-1")), unless: [{ exitCode: 1 }] },
    steps: ["nginx -s reload in web-1"],
  },
  { title: "`unless` succeeds", call: unless, now: { ...now(pod("web-1")), unless: [{ exitCode: 0 }] }, steps: [] },
  { title: "no pod", call: always, now: { ...now(), ran: false }, steps: [], refusal: "no-pod" },
  {
    title: "a pod that is not running yet",
    call: always,
    now: { ...now(pod("web-1", { phase: "Pending", reason: "Unschedulable: no node fits" })), ran: false },
    steps: [],
    refusal: "pod-not-running",
  },
  {
    title: "a pod that is being deleted",
    call: always,
    now: { ...now(pod("web-1", { isBeingDeleted: true })), ran: false },
    steps: [],
    refusal: "pod-not-running",
  },
  {
    title: "a container that crashes",
    call: always,
    now: { ...now(pod("web-1", { containers: { nginx: "not started: CrashLoopBackOff" } })), ran: false },
    steps: [],
    refusal: "container-not-running",
  },
  {
    title: "several containers",
    call: always,
    now: { ...now(pod("web-1", two)), ran: false },
    steps: [],
    refusal: "several-containers",
  },
  {
    title: "several containers, one of which is the default",
    call: always,
    now: { ...now(pod("web-1", { ...two, defaultContainer: "sidecar" })), ran: false },
    steps: ["nginx -s reload in web-1"],
  },
  {
    title: "several containers, one of which the task names",
    call: named,
    now: { ...now(pod("web-1", two)), ran: false },
    steps: ["nginx -s reload in web-1"],
  },
  {
    title: "no such container",
    call: named,
    now: { ...now(pod("web-1", { containers: { web: "running" } })), ran: false },
    steps: [],
    refusal: "no-container",
  },
  {
    title: "a user without the permission",
    call: always,
    now: { ...now(pod("web-1", { forbidden: "no RBAC policy matched" })), ran: false },
    steps: [],
    refusal: "forbidden",
  },
  {
    title: "exactly one live pod with these labels",
    call: one,
    now: { ...now(pod("old", { isBeingDeleted: true }), pod("web-1"), pod("job", { phase: "Succeeded" })), ran: false },
    steps: ["nginx -s reload in web-1"],
  },
  {
    title: "several pods with these labels",
    call: one,
    now: { ...now(pod("web-1"), pod("web-2")), ran: false },
    steps: [],
    refusal: "several-pods",
  },
  {
    title: "no live pod with these labels",
    call: one,
    now: { ...now(pod("job", { phase: "Failed", reason: "Evicted" })), ran: false },
    steps: [],
    refusal: "no-pod",
  },
  {
    title: "each pod with these labels",
    call: each,
    now: { ...now(pod("web-1"), pod("web-2")), ran: false },
    steps: ["nginx -s reload in web-1", "nginx -s reload in web-2"],
  },
  {
    title: "all pods, one of which is not running",
    call: each,
    now: { ...now(pod("web-1"), pod("web-2", { phase: "Pending" })), ran: false },
    steps: [],
    refusal: "pod-not-running",
  },
  {
    title: "each pod in which `unless` fails",
    call: eachUnless,
    now: { ...now(pod("web-1"), pod("web-2")), unless: [{ exitCode: 0 }, { exitCode: 1 }] },
    steps: ["nginx -s reload in web-2"],
  },
];
