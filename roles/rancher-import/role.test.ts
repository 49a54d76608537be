import { describe, expect, test } from "vitest";
import { playbook } from "../../src/authoring.ts";
import { simulate } from "../../src/testing/index.ts";
import { clusterSchema } from "../cluster/cluster.ts";
import { rancherImport, registrationValue } from "./role.ts";

const rancher = { url: "https://rancher.example.com", token: "token-abc:secret" };
const cluster = clusterSchema.parse({ disks: ["/dev/a"], token: "t", password: "p", rancher });
const book = playbook({
  name: "rancher import alone",
  plays: [{ hosts: "all", become: true, tasks: () => [rancherImport({ cluster })] }],
});
const registration = "https://rancher.example.com/v3/import/x_c-m-1.yaml";
const value = registrationValue("v1.8.1", registration, false);
const drivers = (setting: string) => ({
  rancher: () => ({ found: true, id: "c-m-1", state: "pending", registration }),
  kubernetes: () => ({
    found: true,
    object: { kind: "Setting", metadata: { name: "cluster-registration-url" }, value: setting },
  }),
});

describe("rancher import", () => {
  test("puts the registration URL into Harvester's setting, once", async () => {
    const first = await simulate(book, { hosts: ["metal"], drivers: drivers("") });
    expect(first.tasks.map(({ title, outcome, steps }) => [title, outcome, steps])).toEqual([
      ["harvester in Rancher at https://rancher.example.com", "ok", []],
      ["port 22 on 192.168.130.11", "ok", []],
      ["Harvester's setting cluster-registration-url", "changed", ["set cluster-registration-url"]],
    ]);
    const second = await simulate(book, { hosts: ["metal"], drivers: drivers(value) });
    expect(new Set(second.tasks.map(({ outcome }) => outcome))).toEqual(new Set(["ok"]));
  });

  test("leaves the setting undecided in check mode before the cluster exists", async () => {
    const state = { metal: { "port:192.168.130.11 22 virbr1": { open: false } } };
    const given = { ...drivers(""), rancher: () => ({ found: false }) };
    const { tasks } = await simulate(book, { hosts: ["metal"], drivers: given, state, mode: "check" });
    expect(tasks.map(({ outcome }) => outcome)).toEqual(["changed", "ok", "undecided"]);
  });

  test("reports that Rancher refuses the request, before anything is created", async () => {
    const given = { ...drivers(""), rancher: () => ({ error: { code: "HTTP 401", message: "no such token" } }) };
    const { tasks } = await simulate(book, { hosts: ["metal"], drivers: given, mode: "check" });
    expect(tasks[0]).toMatchObject({ outcome: "failed" });
  });
});

test.each([
  ["v1.7.3", "https://r/x.yaml"],
  ["v1.8.0", '{"url":"https://r/x.yaml","insecureSkipTLSVerify":true}'],
])("writes the setting in the form that %s expects", (version, form) => {
  expect(registrationValue(version, "https://r/x.yaml", true)).toBe(form);
});
