import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bootLog } from "../../roles/cluster/nodes.ts";
import { machines, powerOff, powerOn, serialLog, stranger } from "./machines.ts";
import { LabRack } from "./rack.ts";

let rack: LabRack;
beforeAll(async () => {
  rack = await LabRack.up(`rack-${process.pid}`);
});
afterAll(() => rack.down());

const [tftp, http, bios] = machines as [
  (typeof machines)[number],
  (typeof machines)[number],
  (typeof machines)[number],
];

/** Waits until a script succeeds on the host. Returns its output. */
async function until(script: string, minutes: number): Promise<string> {
  for (let tries = 0; tries < minutes * 20; tries += 1) {
    const text = await rack.host.sh(`${script} || true`);
    if (text.trim() !== "") return text;
    await sleep(3000);
  }
  throw new Error(`${script}\n${await rack.host.sh(`tail -n 40 ${bootLog}; tail -n 5 /var/log/*-serial.log`)}`);
}

test("a second DHCP server is found and named, and nothing is served", async () => {
  await rack.host.sh(`ip netns add other; ip link add port1 type veth peer name far
ip link set port1 master rack0 up; ip link set far netns other; ip netns exec other ip link set far up
ip netns exec other ip addr add 10.9.0.2/24 dev far
ip netns exec other dnsmasq --conf-file=/dev/null --port=0 --interface=far --bind-interfaces --pid-file=/run/far.pid --dhcp-range=10.9.0.200,10.9.0.210 --dhcp-leasefile=/run/far.leases`);
  const { code, text } = await rack.furrow("run", "pxe");
  expect(code).not.toBe(0);
  expect(text).toContain("another DHCP server answers on rack0");
  expect(text).toContain("10.9.0.2");
  expect(await rack.host.sh("ls /etc/systemd/system | grep furrow-pxe || true")).toBe("");
  await rack.host.sh("kill $(cat /run/far.pid)");
});

test("the server is set up, and a second run changes nothing", async () => {
  const first = await rack.furrow("run", "pxe");
  expect([first.code, first.text.slice(-3000)]).toEqual([0, expect.anything()]);
  const second = await rack.furrow("run", "pxe");
  expect([second.code, second.outcomes.filter((outcome) => outcome !== "ok" && outcome !== "skipped")]).toEqual([
    0,
    [],
  ]);
});

test("nobody but nginx can read the passwords, and each node gets only its own configuration", async () => {
  const files = await rack.host.sh(
    "stat -c '%a %U %G' /srv/www/harvester/nodes /srv/www/harvester/nodes/*.yaml | sort -u",
  );
  expect(files).toBe("640 root www-data\n750 root www-data\n");
  const [one, two] = machines.map(({ mac }) => `/nodes/${mac.replaceAll(":", "-")}.yaml`) as [string, string];
  const status = (address: string, path: string): Promise<string> =>
    rack.host.sh(`ip netns exec client ip addr replace ${address}/24 dev card
ip netns exec client curl -s -o /dev/null -w '%{http_code}' http://10.9.0.1${path}; ip netns exec client ip addr del ${address}/24 dev card`);
  expect(await status(tftp.address, one)).toBe("200");
  expect([await status(tftp.address, two), await status("10.9.0.50", one)]).toEqual(["403", "403"]);
  expect([await status(tftp.address, "/nodes/"), await status(tftp.address, "/installed/x/done")]).toEqual([
    "403",
    "404",
  ]);
});

test(
  "machines that boot with UEFI over TFTP, with UEFI over HTTP, or with a BIOS each install their own configuration and join; an unknown machine gets nothing",
  { timeout: 2_400_000 },
  async () => {
    for (const machine of [tftp, http, bios, stranger]) await rack.host.sh(powerOn(machine));
    await until(`grep '${stranger.mac} no address' /var/log/dnsmasq-pxe.log`, 10);
    await rack.host.sh(powerOff(stranger));
    for (const { address, name } of machines)
      await until(`grep -E '^${address} 201 .* /installed/${name}/done ' ${bootLog}`, 25);
    expect(await rack.host.sh("cat /var/lib/furrow-pxe/created/done")).toBe("yes");
    for (const { name } of machines) await until(`grep -a 'stand-in: ${name} is ready' ${serialLog({ name })}`, 25);
    const log = await rack.host.sh(`cat ${bootLog}`);
    for (const { address, mac } of machines) {
      const given = log.split("\n").filter((line) => line.startsWith(`${address} 200 `) && line.includes("/nodes/"));
      const own = mac.replaceAll(":", "-");
      expect(given.filter((line) => !line.includes(own))).toEqual([]);
      // The machine's firmware tried the network once more after the installation, and was not offered the installer.
      expect(
        log.split("\n").filter((line) => line.startsWith(`${address} 204 `) && line.includes("STARTED")),
      ).toHaveLength(1);
    }
    expect(await rack.host.sh(`grep -c 'sent .*ipxe.efi to ${tftp.address}' /var/log/dnsmasq-pxe.log`)).toMatch(
      /^[12]\n$/,
    );
    expect(log).toMatch(new RegExp(`^${http.address} 200 \\d{4,} /ipxe.efi `, "m"));
    expect(log).not.toMatch(new RegExp(`^${bios.address} .* /ipxe.efi `, "m"));
    const { code, text } = await rack.furrow("check", "pxe-status");
    expect([code, text.slice(-3000)]).toEqual([0, expect.anything()]);
    for (const { name } of machines) expect(text).toContain(`${name} is part of the cluster`);
    expect(text).toMatch(new RegExp(`${stranger.mac} is not a node: .* asked [^,]+, and got nothing`));
    expect(text).toContain("the cluster answers at https://10.9.0.120/ping");
  },
);
