import { expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import harvester from "../../playbooks/harvester.ts";
import { parseReport, reportText } from "../../src/field/format.ts";
import { fieldReport } from "../../src/field/report.ts";
import { replay, simulate, type SimulatedState, type Simulation } from "../../src/testing/index.ts";
import { distributions, emptyHost } from "../playbooks/empty-host.ts";
import { recorded } from "./recorded.ts";

const size = { processors: 1, memoryMiB: 512, diskGiB: 2 };
const vars = { size, disks: ["/dev/disk/by-id/a"], token: "a-token-of-ours", password: "a-password-of-ours" };
const digest = "5".repeat(128);
const list = ["vmlinuz-amd64", "initrd-amd64", "rootfs-amd64.squashfs", "amd64.iso"]
  .map((name) => `${digest}  harvester-v1.8.1-${name}\n`)
  .join("");
const drivers = { http: () => ({ status: 200, headers: {}, body: list }) };

/** The outcomes and titles of tasks. A report uses a different name for the disk, and a different public address. */
function said({ tasks }: Simulation): string[] {
  return tasks.map(({ title, outcome }) =>
    `${outcome} ${title}`.replaceAll(/203\.0\.113\.\d+/g, "ADDRESS").replaceAll(/by-id\/\w+/g, "by-id/DISK"),
  );
}

test.each(["debian", "sles"] as const)(
  "the replay of a report gives the same results as a check of the host itself (%s)",
  async (distribution) => {
    const state = emptyHost(distributions[distribution]);
    const options = { hosts: { metal: { address: "203.0.113.9", vars } }, state: { metal: state }, drivers };
    const real = await simulate(harvester, { ...options, mode: "check" });
    const host = { name: "metal", address: "203.0.113.9", vars, state, drivers };
    const report = fieldReport(await recorded(harvester, host));
    const again = await replay(harvester, parseReport(reportText(report), "report.json"));
    expect(said(again)).toEqual(said(real));
    expect(again.tasks.filter(({ outcome }) => outcome === "failed")).toEqual([]);
  },
);

const profile = `@{TFTP_DIR}=/var/tftp /srv/tftp
profile dnsmasq /usr/{bin,sbin}/dnsmasq flags=(attach_disconnected) {
  capability net_admin,
  /data/acme-payroll/** r,
  @{TFTP_DIR}/ r,
  @{TFTP_DIR}/** r,
}
`;
const zone = {
  target: "ACCEPT",
  services: { dhcp: true, dns: true },
  ports: {},
  rules: { 'rule priority="32767" reject': true, 'rule family="ipv4" source address="8.8.4.4" accept': true },
};
const refused: readonly (readonly [string, SimulatedState])[] = [
  ["an AppArmor profile", { "apparmorProfile:usr.sbin.dnsmasq": { mode: "enforce", text: profile } }],
  ["a closed port", { "firewalld:libvirt": { daemon: "running", zone: "libvirt", runtime: zone, permanent: zone } }],
  [
    "a file in another place",
    { "package:nginx": { present: true, version: "1.21" }, "file:/etc/nginx/mime.types": absent },
  ],
  ["a port that another program uses", { "port:127.0.0.1 443": { open: true } }],
];

test.each(refused)(
  "if a host is refused because of %s, the replay of its report gives the same refusal",
  async (_why, more) => {
    const state = { ...emptyHost(distributions.sles), ...more };
    const own = { ...vars, openFirewall: false };
    const options = { hosts: { metal: { vars: own } }, state: { metal: state }, drivers };
    const real = await simulate(harvester, { ...options, mode: "check" });
    const host = { name: "metal", address: "metal", vars: own, state, drivers };
    const again = await replay(harvester, fieldReport(await recorded(harvester, host)));
    const failures = ({ result }: Simulation): unknown =>
      result.errors.map(({ code, failure: { what, hint, current } }) => ({ code, what, hint, current }));
    expect(failures(real)).toHaveLength(1);
    expect(failures(again)).toEqual(failures(real));
  },
);

test("a fact that could not be read on the host cannot be read in the replay either", async () => {
  const host = { name: "metal", address: "metal", vars, state: emptyHost(distributions.sles), drivers };
  const report = fieldReport(await recorded(harvester, host));
  const { [`apparmorProfile:usr.sbin.dnsmasq`]: _gone, ...facts } = report.facts;
  const unread = { "apparmorProfile:usr.sbin.dnsmasq": "E_FACT" };
  const { result } = await replay(harvester, { ...report, facts, unread });
  expect(result.errors[0]?.failure.what).toContain("usr.sbin.dnsmasq could not be read when the report was made");
}, 600_000);

test("says which facts a replay had to take from a fresh host", async () => {
  const host = { name: "metal", address: "metal", vars, state: emptyHost(distributions.sles), drivers };
  const report = fieldReport(await recorded(harvester, host));
  const { "firewalld:libvirt": _gone, ...facts } = report.facts;
  expect((await replay(harvester, report)).missing).not.toContain("firewalld:libvirt");
  expect((await replay(harvester, { ...report, facts })).missing).toContain("firewalld:libvirt");
}, 600_000);
