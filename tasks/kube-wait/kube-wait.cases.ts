import { absent } from "../../src/authoring.ts";
import { sealedFieldValue } from "../../src/facts/catalogue.ts";
import type { Case } from "../../src/testing/index.ts";
import { kubeWait } from "./kube-wait.ts";

const job = { apiVersion: "batch/v1", kind: "Job", name: "copy", namespace: "shop", kubeconfig: "kubeconfig" };
const complete = kubeWait({ ...job, condition: "Complete", failOn: "Failed" });
const phase = kubeWait({ ...job, field: "status.phase", value: "Succeeded" });
const vm = { ...job, apiVersion: "kubevirt.io/v1alpha9", kind: "VirtualMachine" };
const password = kubeWait({ ...job, apiVersion: "v1", kind: "Secret", field: "data.password", value: "cDE=" });
const gone = kubeWait({ ...job, state: "absent" });

const there = {
  exists: true,
  conditions: {},
  value: absent,
  phase: absent,
  isOutdated: false,
  deleting: absent,
  version: "7",
  warning: absent,
};
const condition = (type: string, status: string, isOutdated = false) => ({
  [type]: { status, reason: "Why", message: "because", isOutdated },
});
const leaving = { deleting: ["shop/backup"] };

/** Test cases for `kubeWait`: states of an object, and whether the task accepts them. */
export const cases: readonly Case[] = [
  {
    title: "the condition is True",
    call: complete,
    now: { object: { ...there, conditions: condition("Complete", "True") } },
    steps: [],
  },
  {
    title: "the condition is False",
    call: complete,
    now: { object: { ...there, conditions: condition("Complete", "False") } },
    steps: [],
    refusal: "not-yet",
  },
  { title: "no such condition yet", call: complete, now: { object: there }, steps: [], refusal: "not-yet" },
  {
    title: "the condition describes the object before its last change",
    call: complete,
    now: { object: { ...there, conditions: condition("Complete", "True", true), isOutdated: true } },
    steps: [],
    refusal: "not-yet",
  },
  {
    title: "the condition is current, but the rest of the status is not",
    call: complete,
    now: { object: { ...there, conditions: condition("Complete", "True"), isOutdated: true } },
    steps: [],
  },
  {
    title: "the object has the condition, but is being deleted",
    call: complete,
    now: { object: { ...there, conditions: condition("Complete", "True"), ...leaving } },
    steps: [],
    refusal: "not-yet",
  },
  {
    title: "the condition says that the object has failed",
    call: complete,
    now: { object: { ...there, conditions: condition("Failed", "True") } },
    steps: [],
    refusal: "failed",
  },
  {
    title: "the object had failed before its last change",
    call: complete,
    now: {
      object: { ...there, conditions: { ...condition("Failed", "True", true), ...condition("Complete", "True") } },
    },
    steps: [],
    refusal: "not-yet",
  },
  {
    title: "the object had failed and is being deleted",
    call: complete,
    now: { object: { ...there, conditions: condition("Failed", "True"), ...leaving } },
    steps: [],
    refusal: "not-yet",
  },
  { title: "no object", call: complete, now: { object: { exists: false } }, steps: [], refusal: "not-yet" },
  {
    title: "the cluster does not have the kind",
    call: kubeWait({ ...vm, condition: "Ready" }),
    now: { object: { exists: false, lacks: "kind" } },
    steps: [],
    refusal: "not-yet",
  },
  {
    title: "no cluster has such a kind",
    call: complete,
    now: { object: { exists: false, lacks: "kind", near: ["Job in batch/v1"] } },
    steps: [],
    refusal: "no-kind",
  },
  {
    title: "the field of a Secret has the value",
    call: password,
    now: { object: { ...there, value: sealedFieldValue("cDE=") } },
    steps: [],
  },
  {
    title: "the field of a Secret has a different value",
    call: password,
    now: { object: { ...there, value: sealedFieldValue("cDI=") } },
    steps: [],
    refusal: "not-yet",
  },
  { title: "the field has the value", call: phase, now: { object: { ...there, value: "Succeeded" } }, steps: [] },
  {
    title: "the field has a different value",
    call: phase,
    now: { object: { ...there, value: "Running" } },
    steps: [],
    refusal: "not-yet",
  },
  {
    title: "the field has the value that it had before the object's last change",
    call: phase,
    now: { object: { ...there, value: "Succeeded", isOutdated: true } },
    steps: [],
    refusal: "not-yet",
  },
  {
    title: "the field is not part of the status",
    call: kubeWait({ ...job, field: "spec.suspend", value: true }),
    now: { object: { ...there, value: true, isOutdated: true } },
    steps: [],
  },
  {
    title: "the field has the value, but the object is being deleted",
    call: phase,
    now: { object: { ...there, value: "Succeeded", ...leaving } },
    steps: [],
    refusal: "not-yet",
  },
  {
    title: "the field shows that the object is being deleted",
    call: kubeWait({ ...job, field: "metadata.deletionTimestamp" }),
    now: { object: { ...there, value: "2026-11-30T00:00:00Z", ...leaving } },
    steps: [],
  },
  { title: "the object does not have the field", call: phase, now: { object: there }, steps: [], refusal: "not-yet" },
  {
    title: "any value will do",
    call: kubeWait({ ...job, field: "status.succeeded" }),
    now: { object: { ...there, value: 1 } },
    steps: [],
  },
  { title: "the object must exist", call: kubeWait({ ...job, state: "present" }), now: { object: there }, steps: [] },
  {
    title: "the object must exist, but is being deleted",
    call: kubeWait({ ...job, state: "present" }),
    now: { object: { ...there, ...leaving } },
    steps: [],
    refusal: "not-yet",
  },
  { title: "the object must be gone", call: gone, now: { object: { exists: false } }, steps: [] },
  {
    title: "the object's kind was removed with all its objects",
    call: kubeWait({ ...vm, state: "absent" }),
    now: { object: { exists: false, lacks: "kind" } },
    steps: [],
  },
  {
    title: "the object must be gone, but its kind has another version under which it may exist",
    call: kubeWait({ ...vm, state: "absent" }),
    now: { object: { exists: false, lacks: "kind", servedIn: ["kubevirt.io/v1"] } },
    steps: [],
    refusal: "no-kind",
  },
  {
    title: "the object must be gone, but no cluster has such a kind",
    call: kubeWait({ ...job, kind: "Jobb", state: "absent" }),
    now: { object: { exists: false, lacks: "kind" } },
    steps: [],
    refusal: "no-kind",
  },
  {
    title: "the object waits for a finalizer",
    call: gone,
    now: { object: { ...there, ...leaving } },
    steps: [],
    refusal: "not-yet",
  },
  {
    title: "the object must be gone, but its deletion has failed",
    call: kubeWait({ ...job, state: "absent", failOn: "Failed" }),
    now: { object: { ...there, conditions: condition("Failed", "True"), ...leaving } },
    steps: [],
    refusal: "failed",
  },
  {
    title: "the kind is namespaced, but no namespace is given",
    call: gone,
    now: { object: { exists: false, needs: "namespace" } },
    steps: [],
    refusal: "namespace-missing",
  },
  { title: "nobody deletes the object", call: gone, now: { object: there }, steps: [], refusal: "not-yet" },
];
