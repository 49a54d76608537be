import { describe, expect, test } from "vitest";
import { absent, playbook } from "../../src/authoring.ts";
import { explain, simulate } from "../../src/testing/index.ts";
import { bridgeParam, bridgeThere } from "./bridge-there.ts";
import { vmHost } from "./role.ts";
import { virtValid } from "./virt-valid.ts";

const good = `  QEMU: Checking for hardware virtualization                                 : PASS
  QEMU: Checking if device /dev/kvm exists                                   : PASS
  QEMU: Checking for device assignment IOMMU support                         : WARN (No ACPI DMAR table found)
`;
const noKvm = good.replace(
  "virtualization                                 : PASS",
  "virtualization : \u001B[31mFAIL\u001B[0m (Only emulated CPUs are available)",
);
const noTun = `${good}  QEMU: Checking if device /dev/net/tun exists                               : FAIL (Load the 'tun' module)\n`;
const own = { host: "node-1", emulation: false, virtFailures: {} };

describe("virt-host-validate", () => {
  test.each([
    ["without a failure", { ...own, output: good }, undefined],
    ["without KVM", { ...own, output: noKvm }, "no-virtualization"],
    ["without KVM, with emulation", { ...own, output: noKvm, emulation: true }, undefined],
    ["with another failure, with emulation", { ...own, output: noTun, emulation: true }, "no-virtualization"],
    [
      "with a failure that is excused",
      { ...own, output: noTun, virtFailures: { "/dev/net/tun": "no networks" } },
      undefined,
    ],
    ["with output that does not mention QEMU", { ...own, output: "  LXC: Checking: PASS\n" }, "no-validation"],
    ["without any output", { ...own, output: "" }, "no-validation"],
  ])("%s", (_what, params, code) => {
    expect(explain(virtValid(params), {}).refusal?.code).toBe(code);
  });

  test("the refusal says which check fails and why; a note gives the reason why a failure is excused", () => {
    expect(explain(virtValid({ ...own, output: noKvm }), {}).refusal?.message).toBe(
      "node-1 cannot run virtual machines as it is: Checking for hardware virtualization: Only emulated CPUs are available",
    );
    expect(explain(virtValid({ ...own, output: noTun, virtFailures: { tun: "no networks" } }), {}).notes).toEqual([
      'node-1: "Checking if device /dev/net/tun exists" fails: no networks',
    ]);
  });
});

describe("a bridge", () => {
  const call = bridgeThere({ host: "node-1", bridge: "br0" });
  const there = { type: "link", mode: "0777", owner: "root", group: "root" };

  test.each([
    ["is there", { device: there, bridge: there, ports: ["eth1"] }, undefined],
    ["is missing", { device: absent, bridge: absent, ports: absent }, "no-bridge"],
    ["is another interface", { device: there, bridge: absent, ports: absent }, "no-bridge"],
  ])("%s", (_what, now, code) => {
    expect(explain(call, now).refusal?.code).toBe(code);
  });

  test.each([
    ["is created if the vars describe it", { br0: { ports: ["eth1"] } }, "networkInterface br0"],
    ["must already exist otherwise", {}, "metal has the bridge br0"],
  ])("%s", async (_what, bridges, title) => {
    const own = { host: "metal", needed: ["br0"], bridges, like: ["debian"], emulation: false, virtFailures: {} };
    const book = playbook({ name: "hosts", plays: [{ name: "hosts", hosts: "all", tasks: () => [vmHost(own)] }] });
    const { tasks } = await simulate(book, { hosts: ["metal"], mode: "check" });
    expect(tasks[0]?.title).toBe(title);
  });

  test("without an interface gets a note", () => {
    expect(explain(call, { device: there, bridge: there, ports: [] }).notes).toEqual([
      "the bridge br0 of node-1 has no interface: machines on it reach only machines on the same node",
    ]);
  });

  test.each(["br0/..", "", "0br", "a-name-of-16-char"])("cannot be called %j", (name) => {
    expect(bridgeParam().safeParse(name).success).toBe(false);
  });
});
