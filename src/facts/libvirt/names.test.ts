import { describe, expect, test } from "vitest";
import { libvirtDomain as domainTask } from "../../../tasks/libvirt-domain/libvirt-domain.ts";
import { libvirtNet as netTask } from "../../../tasks/libvirt-net/libvirt-net.ts";
import { libvirtPower } from "../../../tasks/libvirt-power/libvirt-power.ts";
import { libvirtDomain } from "./domain.ts";
import { libvirtNet } from "./net.ts";

const uuid = "c7a5fdbd-edaf-9455-926a-d65c16db1809";
const moved = "C7a5-fdbdedaf9455-926ad65c-16db18-09";
const valid = { memoryMiB: 1024, vcpus: 1 };

describe.each(["101", "0", "007", uuid, moved])(
  "a virtual machine named %s, which virsh takes for another one",
  (name) => {
    test.each([
      ["is not shut down", libvirtPower.card.params, { name, state: "shutoff" }],
      ["is not defined", domainTask.card.params, { name, ...valid }],
      ["is not removed", domainTask.card.params, { name, state: "absent" }],
    ])("%s", (_title, schema, params) => {
      expect(JSON.stringify(schema.safeParse(params).error?.issues)).toContain("does not take for the ID or UUID");
    });

    test("is not read", () => {
      expect(() => libvirtDomain(name)).toThrow("virsh would read the one with this");
    });
  },
);

test.each([uuid, moved])(
  "a network named %s, which virsh takes for another one, is neither read nor changed",
  (name) => {
    const issues = netTask.card.params.safeParse({ name, state: "absent" }).error?.issues;
    expect(JSON.stringify(issues)).toContain("does not take for the UUID");
    expect(() => libvirtNet(name)).toThrow("virsh would read the one with this UUID");
    const nic = { mac: "52:54:00:00:00:01", network: name };
    const guest = domainTask.card.params.safeParse({ name: "web", ...valid, interfaces: [nic] });
    expect(JSON.stringify(guest.error?.issues)).toContain("does not take for the UUID");
  },
);

test.each(["node-1", "101a", "1.5", "c7a5fdbdedaf9455926ad65c16db1809", `${uuid}a`])("%s is only a name", (name) => {
  expect(libvirtPower.card.params.safeParse({ name, state: "running" }).success).toBe(true);
  expect(libvirtDomain(name).key).toBe(name);
});

test("a network may be called 101, because virsh does not use IDs for networks", () => {
  expect(netTask.card.params.safeParse({ name: "101", state: "absent" }).success).toBe(true);
  expect(libvirtNet("101").key).toBe("101");
});
