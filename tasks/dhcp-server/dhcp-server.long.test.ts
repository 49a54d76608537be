import { afterAll, beforeAll, expect, test } from "vitest";
import { labDown, labUp } from "../../src/lab/index.ts";
import { asksFor, rackNetwork } from "../../test/pxe/dhcp-client.ts";
import { labTaskHost, type TaskHost } from "../../test/tasks/on-host.ts";
import { outcomes } from "../../test/tasks/one-lab-host.ts";
import { service } from "../service/service.ts";
import { systemdUnit } from "../systemd-unit/systemd-unit.ts";
import { dhcpServer } from "./dhcp-server.ts";

const name = `dhcp-${process.pid}`;
let host: TaskHost;

beforeAll(async () => {
  const lab = await labUp({ hosts: 1, name, libvirt: true });
  const [labHost] = lab.hosts;
  if (labHost === undefined) throw new Error("the lab has no host");
  host = await labTaskHost(labHost);
  await rackNetwork(host);
});
afterAll(() => labDown({ name }));

const path = "/etc/dhcp.conf";
const [uefi, bios, printer, stranger] = [1, 2, 3, 9].map((at) => `52:54:00:aa:00:0${at}`) as [
  string,
  string,
  string,
  string,
];
const script = (at: number): string => `http://10.9.0.1/nodes/${at}.ipxe`;
const reservations = [
  { name: "one", mac: uefi, address: "10.9.0.11", boot: { firmware: "uefi", script: script(1) } },
  { name: "two", mac: bios, address: "10.9.0.12", boot: { firmware: "bios", script: script(2) } },
  { name: "printer", mac: printer, address: "10.9.0.13" },
] as const;
const boots = {
  programs: { bios: "undionly.kpxe", uefi: "ipxe.efi", http: "http://10.9.0.1/ipxe.efi" },
  tftpRoot: "/srv",
  path,
};
const rack = { network: "10.9.0.0/24", interface: "rack0" };

/** The tasks that configure a server with this subnet and start it. */
function serving(subnet: object) {
  const config = dhcpServer({ subnets: [{ ...rack, reservations: [...reservations], ...subnet }], ...boots });
  const ExecStart = `/usr/sbin/dnsmasq --keep-in-foreground --conf-file=${path}`;
  const unit = systemdUnit({ name: "rack-dhcp.service", sections: { Service: { ExecStart } } });
  return [config, unit, service({ name: "rack-dhcp", state: "started", restartOn: [config, unit] })];
}

test("serves each client its own address, the program for its firmware and its own script; unknown clients get nothing", async () => {
  expect(outcomes(await host.check(...serving({ router: "10.9.0.254" })))[0]).toBe("changed");
  expect(outcomes(await host.apply(...serving({ router: "10.9.0.254" })))).toEqual(["changed", "changed", "changed"]);
  expect(outcomes(await host.apply(...serving({ router: "10.9.0.254" })))).toEqual(["ok", "ok", "ok"]);
  const answer = { server: "10.9.0.1", address: "10.9.0.11", router: "10.9.0.254", class: "" };
  expect(await asksFor(host, uefi, "uefi")).toMatchObject([{ ...answer, file: "ipxe.efi" }]);
  expect(await asksFor(host, uefi, "uefi", "ipxe")).toMatchObject([{ ...answer, file: script(1) }]);
  expect(await asksFor(host, uefi, "http")).toMatchObject([
    { ...answer, file: "http://10.9.0.1/ipxe.efi", class: "HTTPClient" },
  ]);
  expect(await asksFor(host, bios, "bios")).toMatchObject([{ address: "10.9.0.12", file: "undionly.kpxe" }]);
  expect(await asksFor(host, bios, "bios", "ipxe")).toMatchObject([{ address: "10.9.0.12", file: script(2) }]);
  expect(await asksFor(host, printer, "none")).toMatchObject([{ address: "10.9.0.13", file: "" }]);
  expect(await asksFor(host, stranger, "uefi")).toEqual([]);
});

test("gives a client with the wrong architecture an address, but nothing to boot", async () => {
  expect(await asksFor(host, uefi, "bios")).toMatchObject([{ address: "10.9.0.11", file: "" }]);
  expect(await asksFor(host, uefi, "bios", "ipxe")).toMatchObject([{ address: "10.9.0.11", file: "" }]);
  expect(await asksFor(host, bios, "uefi")).toMatchObject([{ address: "10.9.0.12", file: "" }]);
});

test("gives unknown clients an address from a pool, but nothing to boot, and no route if there is no router", async () => {
  const pools = [{ from: "10.9.0.100", to: "10.9.0.101" }];
  expect(outcomes(await host.apply(...serving({ pools })))).toEqual(["changed", "ok", "changed"]);
  const [found] = await asksFor(host, stranger, "uefi");
  expect(found).toMatchObject({ file: "", router: "", address: expect.stringMatching(/^10\.9\.0\.10[01]$/) as string });
  expect(await asksFor(host, uefi, "uefi")).toMatchObject([{ address: "10.9.0.11", file: "ipxe.efi" }]);
});

test("alongside another server, gives no addresses and answers only known clients", async () => {
  await host.sh(`ip netns add other; ip link add port1 type veth peer name far
ip link set port1 master rack0 up; ip link set far netns other; ip netns exec other ip link set far up
ip netns exec other ip addr add 10.9.0.2/24 dev far
ip netns exec other dnsmasq --conf-file=/dev/null --port=0 --interface=far --bind-interfaces --pid-file=/run/far.pid --dhcp-range=10.9.0.200,10.9.0.210 --dhcp-leasefile=/run/far.leases`);
  const proxied = serving({ proxy: true });
  expect(outcomes(await host.apply(...proxied))).toEqual(["changed", "ok", "changed"]);
  const servers = async (mac: string, kind: "uefi" | "bios", is?: "ipxe"): Promise<Record<string, string>> =>
    Object.fromEntries(
      (await asksFor(host, mac, kind, is)).map(({ server, address, file }) => [
        server,
        `${address} ${file}`.replace(/^10\S+/, "an address"),
      ]),
    );
  expect(await servers(uefi, "uefi", "ipxe")).toEqual({
    "10.9.0.1": `0.0.0.0 ${script(1)}`,
    "10.9.0.2": "an address ",
  });
  // A BIOS client gets a menu (option 43) from a DHCP proxy, and fetches the entry's file with a second request.
  const menu = (await asksFor(host, bios, "bios")).find(({ server }) => server === "10.9.0.1")?.menu ?? "";
  expect(Buffer.from(menu, "hex").toString("latin1")).toContain("host-two");
  const wrong = (await asksFor(host, uefi, "bios")).find(({ server }) => server === "10.9.0.1");
  expect([wrong?.file, Buffer.from(wrong?.menu ?? "", "hex").toString("latin1")]).toEqual([
    "",
    expect.not.stringContaining("host-"),
  ]);
  expect(await servers(stranger, "uefi")).toEqual({ "10.9.0.2": "an address " });
});

test("refuses options that dnsmasq does not know, in check mode and in the run, and keeps the old configuration", async () => {
  const before = await host.sh(`cat ${path}`);
  const wrong = dhcpServer({ subnets: [{ ...rack, options: { "no-such-option": "1" } }], path });
  for (const [end] of [await host.check(wrong), await host.apply(wrong)]) {
    expect(end?.error?.failure.details).toEqual(["refused: not-accepted"]);
    expect(end?.error?.failure.current).toContain("bad dhcp-option at line");
  }
  expect(await host.sh(`cat ${path}`)).toBe(before);
});
