import { describe, expect, test } from "vitest";
import { contractOf, explain } from "../../src/testing/index.ts";
import { domainWith } from "../libvirt-domain/libvirt-domain.cases.ts";
import { cases } from "./libvirt-power.cases.ts";
import { libvirtPower } from "./libvirt-power.ts";

const running = { domain: domainWith(), ...cases[2]?.now };

test("libvirtPower meets the task contract and does what each case says", () => {
  expect(contractOf(libvirtPower, cases, { folder: "libvirt-power" })).toEqual([]);
});

describe("a machine that must be off", () => {
  test("has only its state changed, whatever its definition contains", () => {
    const odd = domainWith({ memoryMiB: 1234, disks: { vdb: { file: "/x.raw", format: "raw", bus: "sata" } } });
    const told = explain(libvirtPower({ name: "node-1", state: "shutoff" }), { ...running, domain: odd });
    expect(told.change).toEqual({ "libvirt:system": ["domains.node-1.active"], "libvirtDomain:node-1": ["state"] });
    expect(told.steps).toHaveLength(1);
  });

  test("is asked to shut down, and is powered off at the deadline only with force", () => {
    const wordsOf = (more: object): readonly unknown[] => {
      const told = explain(libvirtPower({ name: "node-1", state: "shutoff", shutdownSeconds: 7, ...more }), running);
      const [step] = told.steps;
      return step?.step === "run" && step.argv !== undefined ? [...step.argv.slice(-2), step.timeoutSeconds] : [];
    };
    expect(wordsOf({})).toEqual(["7", "no", 127]);
    expect(wordsOf({ force: true })).toEqual(["7", "yes", 127]);
  });
});

test.each([
  [{ name: "-x", state: "running" }, "name"],
  [{ name: "node-1", state: "absent" }, "state"],
  [{ name: "node-1", state: "running", memoryMiB: 5 }, "memoryMiB"],
])("libvirtPower refuses %j", (params, part) => {
  expect(() => explain(libvirtPower(params as never), {})).toThrow(part);
});
