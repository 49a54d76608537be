import { describe, expect, test } from "vitest";
import { absent, type Node, playbook } from "../../../authoring.ts";
import { simulate } from "../../../testing/index.ts";
import * as t from "../../../../tasks/index.ts";

const state = {
  "package:libvirt-clients": { present: false },
  "package:tools": { present: false },
  "program:virsh": absent,
  "libvirt:system": { daemon: "down", problem: "virsh is missing", networks: {}, domains: {}, links: {} },
};
const running = {
  state: "started",
  file: "enabled",
  enabled: true,
  enableable: true,
  masked: false,
  outdated: false,
  problem: "",
};

const ends = async (tasks: () => Node[], more: object = {}): Promise<string[]> => {
  const book = playbook({ name: "test", plays: [{ hosts: "all", become: true, tasks }] });
  const done = await simulate(book, { hosts: ["a"], mode: "check", state: { a: { ...state, ...more } } });
  return done.tasks.map((end) => end.error?.failure.details?.[0] ?? end.outcome);
};
const net = () => t.libvirtNet({ name: "vlan1", bridge: "virbr1", address: "192.168.122.1" });
const unit = () => t.file({ path: "/etc/systemd/system/libvirtd.service", content: "[Service]\nExecStart=/bin/x\n" });
const start = () => t.service({ name: "libvirtd", state: "started" });

describe("a libvirt network in check mode, after a package", () => {
  test("is refused without virsh", async () => {
    expect(await ends(() => [net()])).toEqual(["refused: no-libvirt"]);
  });

  test("is undecided if nothing declares that the package provides virsh", async () => {
    expect(await ends(() => [t.package({ name: "tools" }), unit(), start(), net()])).toEqual([
      "changed",
      "changed",
      "changed",
      "undecided",
    ]);
  });

  test("is undecided if nothing shows that libvirt's daemon runs afterwards", async () => {
    expect(await ends(() => [t.package({ name: "libvirt-clients" }), net()])).toEqual(["changed", "undecided"]);
  });

  test("is predicted if earlier tasks install the package that contains virsh and start the daemon", async () => {
    expect(await ends(() => [t.package({ name: "libvirt-clients" }), unit(), start(), net()])).toEqual([
      "changed",
      "changed",
      "changed",
      "changed",
    ]);
    const there = { "program:virsh": { path: "/usr/bin/virsh" }, "unit:libvirtd.service": running };
    const up = { "libvirt:system": { ...state["libvirt:system"], daemon: "up", problem: "" } };
    expect(await ends(() => [t.package({ name: "tools" }), net()], { ...there, ...up })).toEqual([
      "changed",
      "changed",
    ]);
  });
});
