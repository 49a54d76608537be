import { describe, expect, test } from "vitest";
import { params, type Renderer } from "../params.ts";
import { tools } from "./tools.ts";

const bridge = {
  name: "br0",
  kind: "bridge",
  ports: ["eth0"],
  addresses: ["192.0.2.10/24", "2001:db8::10/64"],
  gateway: "192.0.2.1",
  routes: [{ to: "198.51.100.0/24", via: "192.0.2.2" }],
  nameservers: ["192.0.2.53"],
  mtu: 1400,
};
const bond = { name: "bond0", kind: "bond", ports: ["eth0", "eth1"], mode: "802.3ad", dhcp: true };
const vlan = { name: "eth0.60", kind: "vlan", parent: "eth0", id: 60, addresses: ["198.51.100.10/24"] };
const physical = { name: "eth0", addresses: ["192.0.2.10/24"], gateway: "192.0.2.1" };

const rendered = (renderer: Renderer, given: object): string =>
  tools[renderer]
    .files(params.parse(given), {})
    .map(({ path, mode, text }) => `== ${path} ${mode}\n${text}`)
    .join("");

describe.each(Object.keys(tools) as Renderer[])("the files of %s", (renderer) => {
  test.each([
    ["a bridge", bridge],
    ["a bond", bond],
    ["a VLAN", vlan],
    ["an existing interface", physical],
  ])("for %s", (_, given) => {
    expect(rendered(renderer, given)).toMatchSnapshot();
  });
});

test("netplan's file for a VLAN also lists the VLAN's parent if that is a physical interface, but not if it is a bond", () => {
  const text = (kind: string): string | undefined =>
    tools.netplan.files(params.parse(vlan), { eth0: { kind } })[0]?.text;
  expect(text("physical")).toContain("  ethernets:\n    eth0: {}\n");
  expect(text("bond")).not.toContain("ethernets");
});
