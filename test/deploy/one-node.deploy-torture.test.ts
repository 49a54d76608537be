import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { powerOff, powerOn } from "../../src/lab/index.ts";
import { covered } from "../covered.ts";
import { Deployment } from "../playbooks/deployment.ts";
import { nodesOf } from "../playbooks/kubernetes.ts";
import { histogram, seeded, tortureSeed } from "../seeded.ts";
import { KilledDeployment, type Survived } from "./killed-deployment.ts";
import { drawPoints, mustBeHit, packageManagers } from "./points.ts";
import { stateOf } from "./state.ts";

/**
 * The minimum number of kills, spread over as many deployments as necessary. Default: one deployment with about six
 * kills.
 */
const asked = process.env["FURROW_TORTURE_KILLS"];
const kills = Number(asked ?? 6);
const inventory = "inventory/start.ts";
const up = (name: string): Promise<Deployment> => Deployment.up(name, 1, "v1.7.1", inventory);

/** The undisturbed deployment, and the state of its host afterwards. */
let twin: Deployment;
let reference: Promise<string[]>;

beforeAll(async () => {
  twin = await up("deploy-twin");
  reference = twin.furrow("run").then(() => stateOf(twin));
  reference.catch(() => undefined);
});

afterAll(() => twin.down());

/** Writes a file to the data disk once the disk has a file system. Formatting the disk again would remove the file. */
const plant =
  "if findmnt -n /mnt/datadisk1 >/dev/null && [ ! -e /mnt/datadisk1/planted ]; then echo mine >/mnt/datadisk1/planted; fi";

/**
 * Deploys to an empty host, kills furrow at several points, and compares the result with the undisturbed deployment.
 */
async function survive(random: (limit: number) => number, count: number): Promise<Survived> {
  const deployment = await up("deploy-torture");
  try {
    const points = drawPoints(random, count);
    const survived = await new KilledDeployment(deployment, points).run(
      packageManagers[random(packageManagers.length)] ?? "",
      () => deployment.inHost(plant),
    );
    const { blows, lives, started } = survived;
    expect(blows.filter(mustBeHit).toSorted()).toEqual(
      points
        .map(({ what }) => what)
        .filter(mustBeHit)
        .toSorted(),
    );
    const changed = lives.flatMap((life) => life.filter(({ outcome }) => outcome === "changed"));
    expect(changed.map(({ title }) => title).toSorted()).toEqual(
      [...new Set(changed.map(({ title }) => title))].toSorted(),
    );
    expect(Object.fromEntries(once.map((what) => [what, started.get(what)]))).toEqual(
      Object.fromEntries(once.map((what) => [what, 1])),
    );
    expect(
      await deployment.inHost("grep -E ' (install|upgrade) ' /var/log/dpkg.log | cut -d ' ' -f 3- | sort | uniq -d"),
    ).toBe("");
    expect(await deployment.inHost("cat /mnt/datadisk1/planted")).toBe("mine");
    expect(await stateOf(deployment)).toEqual(await reference);
    expect((await deployment.furrow("run")).filter(({ outcome }) => outcome !== "ok")).toEqual([]);
    return survived;
  } finally {
    await deployment.down();
  }
}

/** The commands that a deployment runs only once, however often it is interrupted. */
const once = ["mkfs.ext4", "virsh net-define", "qemu-img create", "virsh define", "virsh start", "crontab"];

describe.concurrent("a deployment of one node on an empty host", () => {
  test("ends in the same state even if furrow is killed repeatedly", { timeout: 3_600_000 }, async () => {
    process.stdout.write(`FURROW_TORTURE_SEED=${tortureSeed}\n`);
    const random = seeded(tortureSeed);
    const counts = new Map<string, number>();
    const wanted = asked === undefined ? 1 : kills;
    let [hit, hosts] = [0, 0];
    do {
      const { blows } = await survive(random, kills - hit);
      for (const blow of blows) counts.set(blow, (counts.get(blow) ?? 0) + 1);
      hit += blows.length;
      hosts += 1;
      process.stdout.write(`${histogram(`${hit} kills`, counts)}\n`);
    } while (hit < wanted);
    expect(hit).toBeGreaterThan(kills / 2 - 1);
    covered(
      `furrow killed ${hit} times in ${hosts} deployments of one node, in ${counts.size} commands (seed ${tortureSeed})`,
    );
  });

  test(
    "recovers its node, web server and exposure after three power losses, and a run then changes nothing",
    // This test also waits for the twin, which is deployed at the same time as the killed deployment.
    { timeout: 3_600_000 },
    async () => {
      await reference;
      for (let loss = 1; loss <= 3; loss += 1) {
        await powerOff(twin.host);
        await powerOn(twin.lab, twin.host);
        await answers(`https://${twin.host.address}/ping`, /^pong$/);
        await answers("http://192.168.130.1/boot.ipxe", /^#!ipxe/);
      }
      expect((await twin.furrow("run")).filter(({ outcome }) => outcome !== "ok")).toEqual([]);
      expect(await nodesOf(twin.kubeconfig)).toMatchObject([{ name: "harvester-1", ready: true }]);
      const installations = (await twin.said("harvester-1")).filter((line) => line.includes("installing to"));
      expect(installations).toHaveLength(1);
    },
  );
});

/**
 * Waits until a URL answers on the twin's host as expected. If there is no such answer, the error shows the host's
 * state.
 */
async function answers(url: string, expected: RegExp): Promise<void> {
  const ask = (): Promise<string> => twin.inHost(`curl -sk -m 5 ${url} || true`);
  try {
    await expect.poll(ask, { timeout: 600_000, interval: 1000 }).toMatch(expected);
  } catch (error) {
    const state = await twin.inHost(
      [
        // A suite's summary shows only the first lines of an error.
        "tail -n 8 /var/log/libvirt/qemu/harvester-1-serial.log | tr -d '\\r\\033'",
        "virsh list --all; virsh net-list --all; systemctl --failed --no-legend",
        "journalctl -b -p warning --no-pager | tail -n 40",
      ].join("; "),
    );
    throw new Error(`${url} does not answer after the power loss, on a host in this state:\n${state}`, {
      cause: error,
    });
  }
}
