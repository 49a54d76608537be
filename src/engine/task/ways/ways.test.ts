import { expect, test } from "vitest";
import { absent } from "../../../core/facts/symbols.ts";
import type { Bound } from "../../../core/authoring/evaluate.ts";
import type { Step } from "../../../core/host/step.ts";
import { changesOthersKeys, notUndoneBy, waysOf } from "./ways.ts";

/** A fact that a task is about to change, by its id. */
function changing(id: string, over: Partial<Bound> = {}): Bound {
  const [kind, key] = [id.slice(0, id.indexOf(":")), id.slice(id.indexOf(":") + 1)];
  return { fact: { kind, key, facets: [] }, id, now: {}, wanted: {}, bound: {}, match: "differs", ...over };
}

const nothing = { paths: [], folders: [], isNetwork: false, units: [], sysctls: [], tables: [], commands: [] };
const sshd = ["ssh.socket", "sshd.socket", "ssh.service", "sshd.service"];

test.each([
  ["file:/etc/ssh/sshd_config", { paths: ["/etc/ssh/sshd_config"], units: sshd }],
  ["file:/etc/ssh/sshd_config.d/10-site.conf", { paths: ["/etc/ssh/sshd_config.d/10-site.conf"], units: sshd }],
  ["tree:/etc/ssh", { paths: ["/etc/ssh"], units: sshd }],
  ["file:/root/.ssh/authorized_keys", { paths: ["/root/.ssh/authorized_keys"] }],
  ["file:/etc/default/ssh", { paths: ["/etc/default/ssh"], units: sshd }],
  ["file:/etc/sudo.conf", { paths: ["/etc/sudo.conf"] }],
  ["file:/etc/passwd", { paths: ["/etc/passwd"] }],
  ["file:/etc/wireguard/wg0.conf", { paths: ["/etc/wireguard/wg0.conf"], isNetwork: true }],
  [
    "file:/etc/systemd/networkd.conf.d/a.conf",
    { paths: ["/etc/systemd/networkd.conf.d/a.conf"], units: ["systemd-networkd.service"], isNetwork: true },
  ],
  ["file:/etc/sudoers.d/ops", { paths: ["/etc/sudoers.d/ops"] }],
  ["file:/etc/pam.d/sshd", { paths: ["/etc/pam.d/sshd"] }],
  ["file:/etc/netplan/01.yaml", { paths: ["/etc/netplan/01.yaml"], commands: ["netplan apply"], isNetwork: true }],
  [
    "file:/etc/systemd/network/a.network",
    { paths: ["/etc/systemd/network/a.network"], units: ["systemd-networkd.service"], isNetwork: true },
  ],
  [
    "file:/etc/network/interfaces",
    { paths: ["/etc/network/interfaces"], units: ["networking.service"], isNetwork: true },
  ],
  ["file:/etc/nftables.conf", { paths: ["/etc/nftables.conf"], units: ["nftables.service"] }],
  [
    "file:/etc/firewalld/zones/public.xml",
    { paths: ["/etc/firewalld/zones/public.xml"], commands: ["firewall-cmd --reload"] },
  ],
  [
    "file:/etc/systemd/system/ssh.service.d/a.conf",
    { paths: ["/etc/systemd/system/ssh.service.d/a.conf"], units: ["ssh.service"] },
  ],
  [
    "file:/etc/systemd/system/ssh.socket.d/port.conf",
    { paths: ["/etc/systemd/system/ssh.socket.d/port.conf"], units: ["ssh.socket"] },
  ],
  ["file:/etc/systemd/system/ssh@.service.d/a.conf", { paths: ["/etc/systemd/system/ssh@.service.d/a.conf"] }],
  ["unit:ssh.service", { units: ["ssh.service"] }],
  ["unit:wg-quick@wg0.service", { units: ["wg-quick@wg0.service"], isNetwork: true }],
  ["unit:firewalld.service", { units: ["firewalld.service"] }],
  ["sysctl:net/ipv4/ip_forward", { sysctls: ["net/ipv4/ip_forward"] }],
  ["nftTable:inet furrow", { tables: ["inet furrow"] }],
  ["firewalld:public", { paths: ["/etc/firewalld"], commands: ["firewall-cmd --reload"] }],
])("a change to %s arms an undo", (id, ways) => {
  expect(waysOf([changing(id)], [])).toEqual({ ...nothing, ...ways });
});

test.each([
  "file:/etc/motd",
  "file:/etc/ssh/ssh_config",
  "file:/etc/ssh/ssh_known_hosts",
  "file:/home/ana/.ssh/config",
  "file:/home/ana/.ssh/authorized_keys",
  "file:/etc/systemd/system/nginx.service",
  "file:/etc/sshd",
  "unit:nginx.service",
  "sysctl:vm/swappiness",
  "package:openssh-server",
  "user:ana",
])("a change to %s arms no undo", (id) => {
  expect(waysOf([changing(id)], [])).toBeUndefined();
});

test("removing a folder that contains root's keys arms an undo that saves the whole folder", () => {
  const steps: Step[] = [{ step: "remove", path: "/root/.ssh", recursive: true }];
  expect(waysOf([changing("file:/root/.ssh", { wanted: absent })], steps)).toEqual({
    ...nothing,
    paths: ["/root/.ssh"],
  });
});

test("reverting the removal of the folder that contains sshd's files restarts sshd", () => {
  const steps: Step[] = [{ step: "remove", path: "/etc/ssh", recursive: true }];
  expect(waysOf([changing("file:/etc/ssh", { wanted: absent })], steps)).toMatchObject({
    paths: ["/etc/ssh"],
    units: sshd,
  });
});

test.each(["/root/.ssh", "/root", "/etc", "/", "/etc/ssh", "/etc/sudoers.d", "/etc/ssh/sshd_config.d"])(
  "a new mode for %s arms an undo, because sshd and sudo refuse files in a folder that others may write to",
  (path) => {
    const open = { now: { type: "directory", mode: "0700" }, wanted: { type: "directory", mode: "0777" } };
    const steps: Step[] = [{ step: "setAttributes", path, mode: "0777", directory: true }];
    expect(waysOf([changing(`file:${path}`, open)], steps)).toEqual({ ...nothing, folders: [path] });
  },
);

test("a tree with many files is saved as one folder, because the host limits the length of the list", () => {
  const steps = Array.from({ length: 3000 }, (_, index): Step => {
    return { step: "writeFile", path: `/etc/ssh/sshd_config.d/${"x".repeat(60)}-${index}.conf`, text: "" };
  });
  expect(waysOf([changing("tree:/etc/ssh/sshd_config.d")], steps)?.paths).toEqual(["/etc/ssh/sshd_config.d"]);
});

test.each(["/var/lib/app", "/etc/nginx", "/root/bin"])("a new mode for %s arms no undo", (path) => {
  const open = { now: { type: "directory", mode: "0700" }, wanted: { type: "directory", mode: "0777" } };
  expect(waysOf([changing(`file:${path}`, open)], [])).toBeUndefined();
});

test("a fact that a task only reads, or that already matches its want, arms no undo", () => {
  expect(waysOf([changing("unit:ssh.service", { match: "same" }), changing("file:/etc/motd")], [])).toBeUndefined();
});

test("all files of the task are saved, including those that only its steps name, but no folders", () => {
  const steps: Step[] = [
    { step: "makeDirectory", path: "/etc/nftables.d", parents: false },
    { step: "writeFile", path: "/etc/nftables.d/furrow-inet-a.nft", text: "" },
    { step: "remove", path: "/etc/other", recursive: false },
  ];
  const facts = [changing("nftTable:inet a"), changing("file:/etc/nftables.d", { wanted: { type: "directory" } })];
  expect(waysOf(facts, steps)).toEqual({
    ...nothing,
    paths: ["/etc/nftables.d/furrow-inet-a.nft", "/etc/other"],
    tables: ["inet a"],
  });
});

test("a task that has its own undo arms no other", () => {
  const file = changing("file:/etc/netplan/00-furrow-eth0.yaml");
  expect(waysOf([file], [{ step: "confirm", undo: "network", withinSeconds: 60 }])).toBeUndefined();
  expect(waysOf([file, changing("networkState:host")], [])).toBeUndefined();
});

test.each([
  ["file:/etc/ufw/ufw.conf", "ufw"],
  ["file:/etc/default/ufw", "ufw"],
  ["unit:ufw.service", "ufw"],
  ["file:/etc/iptables/rules.v4", "netfilter-persistent"],
  ["unit:netfilter-persistent.service", "netfilter-persistent"],
  ["file:/etc/sysconfig/iptables", undefined],
  ["unit:nftables.service", undefined],
])("a change to %s affects this firewall, whose changes furrow cannot undo: %s", (id, firewall) => {
  const ways = waysOf([changing(id)], []);
  expect(ways && notUndoneBy([changing(id)], ways)).toBe(firewall);
  expect(ways).toBeDefined();
});

test("changes to keys in a home that its user owns are recognized, but not changes to root's keys", () => {
  const [others, root] = ["/home/ana", "/root"].map((home) => [changing(`file:${home}/.ssh/authorized_keys`)]);
  expect([changesOthersKeys(others ?? [], []), changesOthersKeys(root ?? [], [])]).toEqual([true, false]);
});
