import { describe, expect, test } from "vitest";
import { explain } from "../../src/testing/index.ts";
import { bundleObject, supportBundleSchema } from "./bundle.ts";
import { bundleFits } from "./bundle-fits.ts";
import { bundleReady } from "./bundle-ready.ts";
import { supportBundle } from "./role.ts";

const own = { kubeconfig: "k", name: "issue-1", description: "no network" };
const bundleOf = (status: object, { spec = {}, metadata = {} }: { spec?: object; metadata?: object } = {}) => ({
  found: true,
  object: {
    kind: "SupportBundle",
    metadata: { name: "issue-1", ...metadata },
    spec: { description: "no network", ...spec },
    status,
  },
});
const failed = {
  state: "error",
  conditions: [{ type: "Initialized", status: "False", message: "fail to generate supportbundle: timeout" }],
};
const none = { found: false };
const hidden = { error: { code: "HTTP 403", message: "no" } };

describe("the name of a bundle", () => {
  const says = (bundle: object): string | undefined => explain(bundleFits(own), { bundle, vip: none }).refusal?.message;

  test("is accepted if it is free, or belongs to the same bundle", () => {
    expect(says(none)).toBeUndefined();
    expect(says(bundleOf({}))).toBeUndefined();
    expect(says(bundleOf({ state: "ready" }))).toBeUndefined();
  });

  test("is refused if the bundle has failed, is for something else, or is being deleted", () => {
    expect(says(bundleOf(failed))).toBe(
      "the bundle issue-1 exists, but Harvester could not create it: fail to generate supportbundle: timeout",
    );
    expect(says(bundleOf({}, { spec: { description: "slow disks" } }))).toContain('for something else: "slow disks"');
    expect(says(bundleOf({}, { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }))).toContain(
      "is being deleted",
    );
  });

  test("is refused if furrow cannot tell whether it is free", () => {
    expect(says(hidden)).toContain("cannot tell whether the bundle issue-1 exists");
  });
});

describe("the wait for a bundle", () => {
  const wait = (bundle: object, address = "192.168.10.10") =>
    explain(bundleReady({ kubeconfig: "k", name: "issue-1", address, deadlineSeconds: 1 }), { bundle });

  test("says how far the bundle has progressed, and ends with Harvester's own message if it fails", () => {
    expect(wait(bundleOf({ state: "generating", progress: 40 })).refusal).toMatchObject({
      code: "not-yet",
      message: "40 % done",
    });
    expect(wait(bundleOf({ state: "later" })).refusal?.code).toBe("not-yet");
    expect(wait(bundleOf(failed)).refusal).toMatchObject({
      message: "Harvester could not create it: fail to generate supportbundle: timeout",
      final: true,
    });
    expect(wait(none).refusal?.message).toBe("issue-1 does not exist");
  });

  test("says at its end where the bundle is, even if the cluster's address is unknown", () => {
    const ready = bundleOf({ state: "ready", filename: "supportbundle_1.zip", filesize: 3 * 2 ** 20 });
    const path = "/v1/harvester/supportbundles/issue-1/download?retain=true";
    expect(wait(ready).refusal).toBeUndefined();
    expect(wait(ready).notes[0]).toBe(`supportbundle_1.zip (3.0 MiB): https://192.168.10.10${path}`);
    expect(wait(ready, "").notes[0]).toContain("address is unknown");
  });
});

test("a bundle has the fields that Harvester requires, and otherwise only those that are given", () => {
  const vars = supportBundleSchema.parse({ ...own, issueUrl: "https://example.org/1", namespaces: ["apps"] });
  expect(bundleObject(vars).spec).toEqual({
    description: "no network",
    issueURL: "https://example.org/1",
    extraCollectionNamespaces: ["apps"],
  });
  expect(bundleObject(supportBundleSchema.parse(own)).spec).toEqual({ description: "no network" });
  expect(supportBundleSchema.safeParse({ ...own, name: "Issue_1" }).success).toBe(false);
});

test("in check mode, before the bundle exists, the last task has a readable title", () => {
  const vars = supportBundleSchema.parse({ kubeconfig: "k", name: "issue-1", description: "slow" });
  const last = supportBundle(vars).children.at(-1);
  expect(last).toMatchObject({ options: { name: "the support bundle issue-1 is ready" } });
});
