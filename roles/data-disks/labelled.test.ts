import { expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { explain } from "../../src/testing/index.ts";
import { labelled } from "./labelled.ts";

const call = labelled({ path: "/mnt/datadisk1", type: "virt_image_t" });
const semanage = { path: "/usr/sbin/semanage" };
const label = (type: string) => ({ mode: "enforcing", type });

test.each([
  ["a new file system", { label: label("unlabeled_t"), semanage }, ["label /mnt/datadisk1 as virt_image_t"]],
  ["the right type", { label: label("virt_image_t"), semanage }, []],
  ["a host without SELinux", { label: absent, semanage: absent }, []],
])("a data disk gets its SELinux label only if it lacks it: %s", (_title, now, steps) => {
  expect(explain(call, now).steps.map((step) => "label" in step && step.label)).toEqual(steps);
});
