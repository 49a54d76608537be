import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type NetworkHost, NetworkLab } from "../../test/tasks/network-lab.ts";
import { deaf, wrong } from "../../test/tasks/wrong-networks.ts";

let lab: NetworkLab;
let first: ReadonlyMap<string, string>;
beforeAll(async () => {
  lab = await NetworkLab.up("network-task");
  first = await states();
});
afterAll(() => (lab as NetworkLab | undefined)?.down());

async function states(): Promise<ReadonlyMap<string, string>> {
  return new Map(await Promise.all(lab.hosts.map(async (host) => [host.renderer, await lab.state(host)] as const)));
}

const outcomes = (ends: Awaited<ReturnType<NetworkLab["ends"]>>): Record<string, string> =>
  Object.fromEntries(
    lab.hosts.map(({ name, renderer }) => {
      const { outcome, code, details } = ends[name] ?? {};
      return [renderer, [outcome, code, details].filter(Boolean).join(" ")];
    }),
  );
const all = (outcome: string): Record<string, string> =>
  Object.fromEntries(lab.hosts.map(({ renderer }) => [renderer, outcome]));

const bridge = ({ address, gateway }: NetworkHost): object => ({
  name: "br0",
  kind: "bridge",
  ports: ["host0"],
  addresses: [`${address}/24`],
  gateway,
  confirmSeconds: 30,
});

/** The last octet of a host's address, from which tests derive further addresses that no other host has. */
const last = ({ address }: NetworkHost): string => address.split(".")[3] ?? "";

/** The number of hosts on which a change has begun. */
const confirming = (events: readonly { readonly type: string }[]): number =>
  events.filter((event) => "step" in event && String(event.step).startsWith("change, and confirm")).length;

describe("a wrong configuration of the interface that carries the connection", () => {
  test.each(wrong)("$what: the host answers again, unchanged", async ({ end, paramsOf }) => {
    const ends = await lab.ends("run", lab.hosts, paramsOf);
    for (const { name, renderer } of lab.hosts) {
      const codes = end === "refused" ? ["E_REFUSED"] : ["E_NOT_CONFIRMED", "E_STEP"];
      expect(codes, `${renderer}: ${JSON.stringify(ends[name])}`).toContain(ends[name]?.code);
    }
    await Promise.all(lab.hosts.map((host) => lab.answers(host, 5)));
    expect(await states()).toEqual(first);
  });

  test("with the controller killed: the host answers again, unchanged", async () => {
    const run = lab.start("run", lab.hosts, deaf);
    await run.until((events) => confirming(events) === lab.hosts.length);
    await sleep(2500);
    run.child.kill("SIGKILL");
    await run.ended;
    await Promise.all(lab.hosts.map((host) => lab.answers(host, 60)));
    await sleep(20_000);
    expect(await states()).toEqual(first);
  });

  test("with the controller killed and a reboot before the deadline: the host answers again, unchanged", async () => {
    const run = lab.start("run", lab.hosts, (host) => ({ ...deaf(host), confirmSeconds: 3600 }));
    await run.until((events) => confirming(events) === lab.hosts.length);
    await sleep(8000);
    run.child.kill("SIGKILL");
    await run.ended;
    for (const host of lab.hosts) await expect(lab.answers(host, 0)).rejects.toThrow("does not answer");
    await Promise.all(lab.hosts.map((host) => lab.reboot(host)));
    expect(await states()).toEqual(first);
  });
});

describe("a bridge over the interface that carries the connection", () => {
  test("is confirmed by the next run if the controller was killed", async () => {
    const patient = (host: NetworkHost): object => ({ ...bridge(host), confirmSeconds: 120 });
    for (const host of lab.hosts) {
      const run = lab.start("run", [host], patient);
      await run.until((events) => confirming(events) === 1);
      run.child.kill("SIGKILL");
      await run.ended;
    }
    await Promise.all(lab.hosts.map((host) => lab.answers(host, 30)));
    expect(outcomes(await lab.ends("check", lab.hosts, bridge))).toEqual(all("changed"));
    expect(outcomes(await lab.ends("run", lab.hosts, bridge))).toEqual(all("changed"));
    expect(outcomes(await lab.ends("run", lab.hosts, bridge))).toEqual(all("ok"));
  });

  test("stays after the deadline and after a reboot", async () => {
    await sleep(31_000);
    expect(outcomes(await lab.ends("run", lab.hosts, bridge))).toEqual(all("ok"));
    await Promise.all(lab.hosts.map((host) => lab.reboot(host)));
    expect(outcomes(await lab.ends("check", lab.hosts, bridge))).toEqual(all("ok"));
    for (const [, state] of await states()) expect(state).not.toContain("furrow-undo");
  });

  test("gets another MTU, more addresses and a route, as check mode predicts, and a rerun changes nothing", async () => {
    const more = (host: NetworkHost): object => ({
      ...bridge(host),
      addresses: [`${host.address}/24`, `192.0.2.${last(host)}/24`, `2001:db8::${last(host)}/64`],
      routes: [{ to: "198.51.100.0/24", via: "192.0.2.1" }],
      mtu: 1380,
    });
    expect(outcomes(await lab.ends("check", lab.hosts, more))).toEqual(all("changed"));
    expect(outcomes(await lab.ends("run", lab.hosts, more))).toEqual(all("changed"));
    expect(outcomes(await lab.ends("run", lab.hosts, more))).toEqual(all("ok"));
    await Promise.all(lab.hosts.map((host) => lab.reboot(host)));
    expect(outcomes(await lab.ends("check", lab.hosts, more))).toEqual(all("ok"));
  });

  test("touches nothing that it does not declare", async () => {
    const other = (host: NetworkHost): object => ({
      name: "br8",
      kind: "bridge",
      addresses: [`203.0.113.${last(host)}/24`],
    });
    expect(outcomes(await lab.ends("run", lab.hosts, other, "--paranoid"))).toEqual(all("changed"));
  });

  test("is repaired on a host where someone removed an address", async () => {
    await Promise.all(lab.hosts.map((host) => lab.ssh(host, `ip addr del 192.0.2.${last(host)}/24 dev br0`)));
    const two = (host: NetworkHost): object => ({
      ...bridge(host),
      addresses: [`${host.address}/24`, `192.0.2.${last(host)}/24`],
    });
    expect(outcomes(await lab.ends("run", lab.hosts, two))).toEqual(all("changed"));
    for (const host of lab.hosts)
      expect(await lab.ssh(host, "ip -4 addr show dev br0")).toContain(`192.0.2.${last(host)}/24`);
  });
});
