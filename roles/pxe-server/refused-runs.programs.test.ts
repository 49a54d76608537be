import { expect, test } from "vitest";
import pxe from "../../playbooks/pxe.ts";
import { simulate, type SimulatedState } from "../../src/testing/index.ts";
import { plainRack } from "./rack.cases.ts";

const self = {
  hostname: "pxe1",
  architecture: "x86_64",
  kernel: "6.1",
  processors: 4,
  memoryBytes: 2 ** 33,
  kvm: false,
  os: { id: "debian", version: "12", like: ["debian"] },
  addresses: { eno1: ["192.168.0.90/24"] },
};

/** Runs the playbook on a simulated server. Returns what the playbook refused, and what it had changed by then. */
async function run(mode: "check" | "apply", state: SimulatedState, vars: object = {}) {
  const { result, tasks } = await simulate(pxe, {
    hosts: ["pxe1"],
    vars: { ...plainRack, ...vars },
    state: { pxe1: { "host:self": self, "port:192.168.0.175 443": { open: false }, ...state } },
    drivers: { kubernetes: () => ({ error: { code: "no-kubeconfig", message: "it does not exist" } }) },
    mode,
  });
  return {
    refused: result.errors.map(({ failure }) => failure.details?.[0]),
    changed: tasks.filter(({ outcome }) => outcome === "changed").length,
  };
}

const isOpen = { "port:192.168.0.175 443": { open: true } };
const renamed = {
  "file:/srv/tftpboot/harvester/52-54-00-00-00-01": {
    type: "link",
    target: "/var/lib/furrow-pxe/installed/earlier",
  },
  "file:/var/lib/furrow-pxe/installed/earlier": { type: "directory" },
};

test.each(["check", "apply"] as const)("%s refuses a second cluster, and changes nothing", async (mode) => {
  expect(await run(mode, isOpen)).toEqual({ refused: ["refused: unknown-cluster"], changed: 0 });
  const known = { "file:/var/lib/furrow-pxe/created/done": { type: "file" } };
  expect((await run("check", { ...isOpen, ...known })).refused).not.toContain("refused: unknown-cluster");
  expect((await run("check", isOpen, { join: true })).refused).not.toContain("refused: unknown-cluster");
});

test.each(["check", "apply"] as const)(
  "%s refuses an installed node with another name, and changes nothing",
  async (mode) => {
    expect(await run(mode, renamed)).toEqual({ refused: ["refused: renamed"], changed: 0 });
    expect((await run("check", renamed, { reinstall: ["node-1"] })).refused).not.toContain("refused: renamed");
  },
);

test.each(["check", "apply"] as const)(
  "%s refuses to reinstall a node if the cluster cannot be asked, and changes nothing",
  async (mode) => {
    const installed = { "file:/var/lib/furrow-pxe/installed/node-2": { type: "directory" } };
    const vars = { reinstall: ["node-2"], kubeconfig: "/no/kubeconfig" };
    expect(await run(mode, installed, vars)).toEqual({ refused: ["refused: cluster-not-seen"], changed: 0 });
    expect((await run("check", installed, { reinstall: ["node-2"] })).refused).not.toContain(
      "refused: cluster-not-seen",
    );
  },
);
