import { expect, test } from "vitest";
import { playbook } from "../../src/authoring.ts";
import { simulate } from "../../src/testing/index.ts";
import { clusterSchema } from "../cluster/cluster.ts";
import { exposure, filterRules, unitText } from "./role.ts";

const given = { disks: ["/dev/a"], token: "t", password: "p" };
const book = (exposed: unknown, network: unknown = {}, more: object = {}) =>
  playbook({
    name: "exposure alone",
    plays: [
      {
        hosts: "all",
        become: true,
        tasks: ({ facts }) => [
          exposure({ cluster: clusterSchema.parse({ ...given, ...more, exposure: exposed, network }), facts }),
        ],
      },
    ],
  });

test("creates one unit for each port, started and enabled, and does nothing the second time", async () => {
  const first = await simulate(book({}), { hosts: ["metal"] });
  expect(first.tasks.map(({ title, outcome }) => [title, outcome])).toEqual([
    ["firewalld default zone: 443/tcp, 6443/tcp", "ok"],
    ["file /etc/systemd/system/harvester-expose-443.service", "changed"],
    ["service harvester-expose-443.service", "changed"],
    ["file /etc/systemd/system/harvester-expose-6443.service", "changed"],
    ["service harvester-expose-6443.service", "changed"],
  ]);
  const second = await simulate(book({}), { hosts: ["metal"], state: first.state });
  expect(new Set(second.tasks.map(({ outcome }) => outcome))).toEqual(new Set(["ok"]));
});

test("restarts units whose target changes", async () => {
  const first = await simulate(book({ ports: [443] }), { hosts: ["metal"] });
  const moved = book({ ports: [443] }, { vip: "192.168.130.99" });
  const again = await simulate(moved, { hosts: ["metal"], state: first.state });
  expect(again.tasks.map(({ steps }) => steps)).toEqual([
    [],
    ["write /etc/systemd/system/harvester-expose-443.service"],
    ["systemctl restart harvester-expose-443.service", "record what harvester-expose-443.service has loaded"],
  ]);
});

test("writes a unit that runs as nobody, always restarts and forwards to the virtual address", () => {
  const text = unitText(443, "192.168.130.120");
  expect(text).toContain("ExecStart=/usr/bin/socat TCP-LISTEN:443,fork,reuseaddr TCP:192.168.130.120:443");
  expect(text).toContain("User=nobody");
  expect(text).toContain("Restart=always");
});

test("if access is restricted, its own table blocks all clients except the allowed ones, the nodes and the host", () => {
  const rules = filterRules([443, 6443], ["203.0.113.0/24"], "virbr1");
  expect(rules).toContain('iifname { "lo", "virbr1" } accept');
  expect(rules).toContain("tcp dport { 443, 6443 } ip saddr != { 203.0.113.0/24 } drop");
});

test("opens the ports in firewalld where it runs, unless openFirewall is false", async () => {
  const closed = { target: "default", services: {}, ports: { "443/tcp": true as const }, rules: {} };
  const state = {
    metal: {
      "firewalld:default zone": { daemon: "running", zone: "public", runtime: closed, permanent: closed },
    },
  };
  const [first] = (await simulate(book({}), { hosts: ["metal"], state })).tasks;
  expect(first?.steps).toEqual([
    "firewall-cmd --zone=public --add-port=6443/tcp",
    "firewall-cmd --permanent --zone=public --add-port=6443/tcp",
  ]);
  const kept = await simulate(book({}, {}, { openFirewall: false }), { hosts: ["metal"], state });
  expect(kept.tasks.map(({ title }) => title)).not.toContain(first?.title);
});
