import { expect, test } from "vitest";
import { secretOf } from "../../src/core/secrets/secret.ts";
import { sealedFieldValue, settingHash } from "../../src/facts/catalogue.ts";
import { explain } from "../../src/testing/index.ts";
import { settingTaken } from "./setting-taken.ts";

const ask = (managedFields: readonly object[], condition: object, next: string[] = []) =>
  explain(settingTaken({ kubeconfig: "k", name: "http-proxy", next }), {
    setting: {
      found: true,
      object: {
        kind: "Setting",
        metadata: { name: "http-proxy", managedFields },
        status: { conditions: [{ type: "configured", ...condition }] },
      },
    },
  });
const value = { time: "2026-11-28T01:00:00Z", fieldsV1: { "f:value": {} } };

test("a setting is applied once Harvester has reported on it after the change", () => {
  const { refusal, notes } = ask([value], { status: "True", lastUpdateTime: "2026-11-28T01:00:01Z" }, ["look there"]);
  expect([refusal, notes]).toEqual([undefined, ["look there"]]);
  const own = { time: "2026-11-28T01:00:02Z", fieldsV1: { "f:status": {} } };
  expect(ask([value, own], { status: "True", lastUpdateTime: "2026-11-28T00:59:00Z" }).refusal).toBeUndefined();
});

test("a setting does not count as applied while Harvester's report is about the previous value", () => {
  expect(ask([value], { status: "True", lastUpdateTime: "2026-11-28T00:59:00Z" }).refusal?.message).toBe(
    "Harvester has not processed the setting http-proxy since it changed at 2026-11-28T01:00:00Z",
  );
});

test("the task does not wait for a setting that returns to its last applied value, and names a failure in between", () => {
  const given = "http://proxy";
  const status = (report: object) => ({
    conditions: [{ type: "configured", lastUpdateTime: "2026-11-28T00:59:00Z", ...report }],
  });
  const back = (report: object, hash = settingHash(given, "v1"), setting = "http-proxy") => {
    const annotations = { "harvesterhci.io/hash": hash, "harvesterhci.io/upgrade-patched": "v1" };
    const metadata = { name: setting, managedFields: [value], annotations };
    const object = { kind: "Setting", metadata, value: sealedFieldValue(given), status: status(report) };
    return explain(settingTaken({ kubeconfig: "k", name: setting, value: given }), {
      setting: { found: true, object },
    });
  };
  expect(back({ status: "True" }).refusal).toBeUndefined();
  expect(back({ status: "False", message: "no cluster local" }).refusal).toMatchObject({
    message:
      "Harvester does not apply the setting http-proxy again: it has stored this value as applied, but has since " +
      "failed to apply another one: no cluster local",
    final: true,
  });
  const unprocessed = "has not processed the setting";
  expect(back({ status: "True" }, settingHash("other", "v1")).refusal?.message).toContain(unprocessed);
  expect(back({ status: "False" }, settingHash(given, "v1"), "log-level").refusal?.message).toContain(unprocessed);
});

test("a wait ends at once if somebody else has changed the setting meanwhile", () => {
  const object = { kind: "Setting", metadata: { name: "http-proxy" }, value: sealedFieldValue("http://other") };
  const wait = settingTaken({ kubeconfig: "k", name: "http-proxy", value: "http://proxy" });
  expect(explain(wait, { setting: { found: true, object } }).refusal).toMatchObject({
    message: "the setting http-proxy has been changed in the meantime: it no longer has the value that furrow set",
    final: true,
  });
});

test("a secret value with quotes is recognized as the value that was given", () => {
  const text = '{"httpProxy":"http://me:pass@proxy"}';
  const object = { kind: "Setting", metadata: { name: "http-proxy" }, value: sealedFieldValue(text) };
  const wait = settingTaken({ kubeconfig: "k", name: "http-proxy", value: String(secretOf(text, "proxy")) });
  expect(explain(wait, { setting: { found: true, object } }).refusal?.code).toBe("not-taken");
});

test("gives Harvester's reason if Harvester could not apply a setting", () => {
  const condition = { status: "False", message: "no cluster local", lastUpdateTime: "2026-11-28T01:00:01Z" };
  expect(ask([value], condition).refusal?.message).toBe(
    "Harvester could not apply the setting http-proxy: no cluster local",
  );
});
