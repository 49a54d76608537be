import { describe, expect, test } from "vitest";
import { type Json, playbook } from "../../src/authoring.ts";
import { sealedFieldValue } from "../../src/facts/catalogue.ts";
import { explain, simulate } from "../../src/testing/index.ts";
import { clusterSchema } from "../cluster/cluster.ts";
import { registrationValue } from "./registration.ts";
import { rancherImport } from "./role.ts";
import { registrationSet } from "./tasks.ts";

const rancher = { url: "https://rancher.example.com", token: "token-abc:secret" };
const bookWith = (more: object = {}) => {
  const cluster = clusterSchema.parse({
    disks: ["/dev/a"],
    token: "t",
    password: "p",
    rancher: { ...rancher, ...more },
  });
  return playbook({
    name: "rancher import alone",
    plays: [{ hosts: "all", become: true, tasks: () => [rancherImport({ cluster })] }],
  });
};
const registration = "https://rancher.example.com/v3/import/x_c-m-1.yaml";
const value = registrationValue("v1.8.1", registration, false);
const pending = {
  found: true,
  id: "c-m-1",
  state: "pending",
  isHarvester: true,
  isReady: true,
  registrations: [registration],
};
const active = { ...pending, state: "active" };
const foreign = '{"url":"https://other.example.com/v3/import/y_c-m-9.yaml"}';
const object = (setting: string): object => ({
  kind: "Setting",
  metadata: { name: "cluster-registration-url", resourceVersion: "7" },
  value: setting,
});
const sealed = (setting: string): object => ({ ...object(setting), value: setting && sealedFieldValue(setting) });
const drivers = (setting: string, cluster: object = pending) => ({
  rancher: () => cluster,
  kubernetes: (request: Json) => {
    const isSealed = JSON.stringify(request).includes('"sealed":["value"]');
    return { found: true, object: isSealed ? sealed(setting) : object(setting) };
  },
});
const run = (setting: string, cluster: object = pending, more: object = {}, mode: "check" | "apply" = "apply") =>
  simulate(bookWith(more), { hosts: ["metal"], drivers: drivers(setting, cluster), mode });
const imported = "harvester in Rancher at https://rancher.example.com";

describe("rancher import", () => {
  test("puts the registration URL into Harvester's setting, once", async () => {
    const first = await run("");
    expect(first.tasks.map(({ title, outcome, steps }) => [title, outcome, steps])).toEqual([
      [imported, "ok", []],
      ["port 22 on 192.168.130.11", "ok", []],
      ["Harvester's setting cluster-registration-url", "changed", ["set cluster-registration-url"]],
    ]);
    for (const cluster of [pending, active]) {
      const second = await run(value, cluster);
      expect(new Set(second.tasks.map(({ outcome }) => outcome))).toEqual(new Set(["ok"]));
    }
  });

  test("leaves the setting undecided in check mode before the cluster exists", async () => {
    const state = { metal: { "port:192.168.130.11 22 virbr1": { open: false } } };
    const given = {
      ...drivers("", { found: false }),
      kubernetes: () => ({ error: { code: "no-kubeconfig", message: "" } }),
    };
    const { tasks } = await simulate(bookWith(), { hosts: ["metal"], drivers: given, state, mode: "check" });
    expect(tasks.map(({ outcome }) => outcome)).toEqual(["changed", "ok", "undecided"]);
  });

  test.each([
    ["Rancher has no such cluster", { found: false }, "create the cluster harvester in Rancher"],
    [
      "a run was killed before Rancher got a registration token",
      { ...pending, isReady: false, registrations: [] },
      "create the registration URL of harvester in Rancher",
    ],
  ])("never sets an empty registration URL if %s", async (_name, cluster, step) => {
    const check = await run("", cluster, {}, "check");
    expect(check.tasks.map(({ outcome }) => outcome)).toEqual(["changed", "ok", "undecided"]);
    const { tasks } = await run("", cluster);
    expect(tasks[0]).toMatchObject({ outcome: "changed", steps: [step] });
    expect(tasks.at(-1)?.outcome).not.toBe("ok");
  });

  test("reports that Rancher refuses the request, before anything is created", async () => {
    const { tasks } = await run("", { error: { code: "HTTP 401", message: "no such token" } }, {}, "check");
    expect(tasks[0]).toMatchObject({ outcome: "failed" });
  });
});

describe.each(["check", "apply"] as const)("another cluster (%s)", (mode) => {
  const refusal = async (setting: string, cluster: object, more: object = {}): Promise<string | undefined> => {
    const { tasks } = await run(setting, cluster, more, mode);
    return tasks[0]?.error?.failure.what;
  };
  const taken =
    "Rancher at https://rancher.example.com already has a cluster harvester (c-m-1), and nothing shows that it is this cluster";

  test("with the same name in Rancher is not taken over", async () => {
    expect(await refusal("", active)).toBe(taken);
    expect(await refusal("", { ...pending, isHarvester: false })).toBe(taken);
    expect(await refusal("", { ...active, isReady: false, registrations: [] })).toBe(taken);
    expect(await refusal("", active, { id: "c-m-2" })).toBe(taken);
    expect(await refusal("", active, { id: "c-m-1" })).toBeUndefined();
  });

  test("with the same name is refused if Harvester's setting cannot be read", async () => {
    const given = {
      ...drivers("", active),
      kubernetes: () => ({ error: { code: "HTTP 403", message: "you may not" } }),
    };
    const { tasks } = await simulate(bookWith(), { hosts: ["metal"], drivers: given, mode });
    expect(tasks[0]?.error?.failure.what).toBe(
      "cannot tell whether the cluster harvester (c-m-1) in Rancher at https://rancher.example.com is this cluster: " +
        "Setting cluster-registration-url cannot be read (HTTP 403: you may not)",
    );
  });

  test("keeps its registration with another Rancher, and nothing is created in this one", async () => {
    const says = "Harvester's setting cluster-registration-url has another registration URL";
    expect(await refusal(foreign, { found: false })).toContain(says);
    expect(await refusal(foreign, pending)).toContain(says);
    expect(await refusal(foreign, pending, { replaces: true })).toBeUndefined();
  });
});

describe("the setting", () => {
  const ask = (setting: string, replaces = false) =>
    explain(registrationSet({ kubeconfig: "k", registration, value, replaces }), {
      setting: { found: true, object: sealed(setting) },
    });

  test("with another registration is replaced only on request, and no output shows the old token", async () => {
    expect(ask(foreign).refusal?.code).toBe("registered-elsewhere");
    expect(JSON.stringify(ask(foreign, true).steps)).toContain('"resourceVersion":"7"');
    const { tasks, events } = await run(foreign, pending, { replaces: true });
    expect(tasks.at(-1)).toMatchObject({ outcome: "changed" });
    expect(JSON.stringify(events)).not.toContain("other.example.com");
  });

  test("gets the form of the cluster's release", () => {
    expect(ask(registration).refusal).toBeUndefined();
    expect(ask(registration).steps).toHaveLength(1);
    expect(ask(value).steps).toEqual([]);
  });
});

test.each([
  ["v1.7.3", "https://r/x.yaml"],
  ["v1.8.0", '{"url":"https://r/x.yaml","insecureSkipTLSVerify":true}'],
])("writes the setting in the form that %s expects", (version, form) => {
  expect(registrationValue(version, "https://r/x.yaml", true)).toBe(form);
});
