import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { firewalld } from "./firewalld.ts";

const rule = 'rule family="ipv4" source address="192.0.2.0/24" port port="443" protocol="tcp" accept';
const zone = { target: "default", services: { ssh: true }, ports: {}, rules: {} };
const open = { target: "default", services: { http: true, ssh: true }, ports: { "443/tcp": true }, rules: {} };
const running = { daemon: "running", zone: "public", runtime: open, permanent: open };
const stopped = { daemon: "stopped", zone: "", runtime: absent, permanent: absent };
const call = firewalld({ services: ["http"], ports: ["443/tcp"] });
const removal = firewalld({ services: ["http"], ports: ["443/tcp"], state: "absent" });
const optional = firewalld({ services: ["http"], optional: true });

/** Test cases for `firewalld`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  { title: "already up to date", call, now: { firewall: running }, steps: [] },
  {
    title: "nothing allowed yet",
    call,
    now: { firewall: { ...running, runtime: zone, permanent: zone } },
    steps: [
      "firewall-cmd --zone=public --add-service=http",
      "firewall-cmd --zone=public --add-port=443/tcp",
      "firewall-cmd --permanent --zone=public --add-service=http",
      "firewall-cmd --permanent --zone=public --add-port=443/tcp",
    ],
  },
  {
    title: "allowed now, but not after a reboot",
    call,
    now: { firewall: { ...running, permanent: { ...open, services: { ssh: true } } } },
    steps: ["firewall-cmd --permanent --zone=public --add-service=http"],
  },
  {
    title: "allowed after a reboot, but not now",
    call,
    now: { firewall: { ...running, runtime: { ...open, ports: {} } } },
    steps: ["firewall-cmd --zone=public --add-port=443/tcp"],
  },
  {
    title: "a rich rule",
    call: firewalld({ zone: "public", rules: [rule] }),
    now: { firewall: { ...running, runtime: { ...zone, rules: { [rule]: true } }, permanent: zone } },
    steps: [`firewall-cmd --permanent --zone=public --add-rich-rule=${rule}`],
  },
  {
    title: "something to remove",
    call: removal,
    now: { firewall: { ...running, permanent: zone } },
    steps: ["firewall-cmd --zone=public --remove-service=http", "firewall-cmd --zone=public --remove-port=443/tcp"],
  },
  {
    title: "already removed",
    call: removal,
    now: { firewall: { ...running, runtime: zone, permanent: zone } },
    steps: [],
  },
  { title: "not installed", call, now: { firewall: absent }, steps: [], refusal: "not-installed" },
  { title: "not running", call, now: { firewall: stopped }, steps: [], refusal: "not-running" },
  { title: "not installed, but optional", call: optional, now: { firewall: absent }, steps: [] },
  { title: "not running, but optional", call: optional, now: { firewall: stopped }, steps: [] },
  {
    title: "failed at startup",
    call,
    now: { firewall: { ...running, daemon: "failed" } },
    steps: [],
    refusal: "failed",
  },
  {
    title: "no such zone",
    call,
    now: { firewall: { ...running, runtime: absent, permanent: absent } },
    steps: [],
    refusal: "no-zone",
  },
  {
    title: "a zone that is not loaded yet",
    call,
    now: { firewall: { ...running, runtime: absent } },
    steps: [],
    refusal: "no-zone",
  },
];
