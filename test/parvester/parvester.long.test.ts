import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Cast } from "../kube/kills/rig.ts";
import { controllers } from "./actors.ts";
import { manifests } from "./manifests.ts";
import { releases, type RunEnd, type RunOptions, Scene } from "./scene.ts";

let scene: Scene;
let cast: Cast;

beforeAll(async () => {
  scene = await Scene.up(`parvester-${process.pid}`, 4);
  cast = new Cast(scene.server, controllers());
});

afterAll(async () => {
  await cast?.end();
  await scene?.down();
});

const by = (outcome: string, { tasks }: RunEnd): string[] =>
  tasks.flatMap((one) => (one.outcome === outcome ? [one.title] : []));

/** Runs a playbook that must succeed. */
async function well(playbook: string, options: RunOptions = {}): Promise<RunEnd> {
  const end = await scene.run(playbook, options);
  expect([end.code, end.code === 0 ? "" : end.text]).toEqual([0, ""]);
  return end;
}

/** Check mode must name what the run then changes, except for undecided tasks. */
async function asChecked(playbook: string, options: RunOptions = {}): Promise<RunEnd> {
  const checked = await well(playbook, { ...options, check: true });
  const applied = await well(playbook, options);
  const undecided = by("undecided", checked);
  expect(by("changed", checked)).toEqual(by("changed", applied).filter((title) => !undecided.includes(title)));
  return checked;
}

/** A second run, and check mode before it, must change nothing. */
async function unchanged(playbook: string, options: RunOptions = {}): Promise<void> {
  for (const check of [true, false]) {
    const again = await well(playbook, { ...options, check });
    expect([by("changed", again), by("undecided", again)]).toEqual([[], []]);
  }
}

/** Check mode and the run must both refuse with these words, and the run must change nothing. */
async function refused(playbook: string, words: string, options: RunOptions = {}): Promise<void> {
  const before = await scene.state();
  for (const check of [true, false]) {
    const end = await scene.run(playbook, { ...options, check });
    expect([end.code, end.text.includes(words) ? words : end.text]).toEqual([1, words]);
  }
  expect(await scene.state()).toEqual(before);
}

const get = (...argv: string[]): string => scene.server.kubectl(["get", ...argv]);
const plain = (secret: string, key: string): string =>
  Buffer.from(get("secret", secret, `--output=jsonpath={.data.${key}}`), "base64").toString();

describe("a cluster on three hosts", () => {
  test("is refused before anything changes if a host lacks the bridge", { timeout: 600_000 }, () =>
    expect(
      refused("parvester", "no interface with the name br9", { vars: { networks: { lan: { bridge: "br9" } } } }),
    ).resolves.toBeUndefined(),
  );

  test("is created, from nothing to a machine that accepts a login", { timeout: 1_200_000 }, async () => {
    const checked = await asChecked("parvester");
    expect(scene.supervisor.begun).toEqual([scene.nodes[0]?.name]);
    // Check mode cannot query a cluster that does not exist yet, so everything in it is undecided.
    const first = by("undecided", checked)[0];
    expect(first).toBe(`kubeWait Node ${scene.nodes[0]?.name}`);
    const modes = await scene.inHost(
      scene.lab.hosts[1] ?? scene.machine,
      "stat --format %a /etc/rancher/rke2/*.yaml /etc/rancher/rke2/token",
    );
    expect(modes.split("\n")).toEqual(["600", "600", "600"]);
    expect(await scene.inHost(scene.lab.hosts[0] ?? scene.machine, "ls /etc/rancher/rke2/config.yaml.d")).toBe("");
  });

  test("has a machine whose cloud-init contains its key, its address and no password", () => {
    const user = plain("vm1-cloud-init", "userdata");
    expect(user).toMatch(/^#cloud-config\n/);
    expect(JSON.parse(user.replace(/^.*\n/, ""))).toMatchObject({
      hostname: "vm1",
      ssh_pwauth: false,
      users: [{ name: "admin", lock_passwd: true, ssh_authorized_keys: [expect.stringMatching(/^ssh-/)] }],
    });
    const network = JSON.parse(plain("vm1-cloud-init", "networkdata")) as { ethernets: { nic0: { match: object } } };
    const machine = JSON.parse(get("virtualmachine", "vm1", "--output=json")) as {
      spec: { template: { spec: { domain: { devices: { interfaces: { macAddress: string }[] } } } } };
    };
    const [nic] = machine.spec.template.spec.domain.devices.interfaces;
    expect(network).toMatchObject({
      version: 2,
      ethernets: {
        nic0: {
          match: { macaddress: nic?.macAddress },
          addresses: [`${scene.machine.address}/24`],
          routes: [{ via: scene.lab.gateway }],
        },
      },
    });
    expect(get("datavolume", "fedora", "--output=jsonpath={.status.phase}")).toBe("Succeeded");
  });

  test("does not change in a second run", { timeout: 600_000 }, () =>
    expect(unchanged("parvester")).resolves.toBeUndefined(),
  );

  test("is shown by parvester-status, which changes nothing", { timeout: 600_000 }, async () => {
    const { text } = await well("parvester-status");
    expect(text).toContain(`node ${scene.nodes[2]?.name}: Ready, ${releases.rke2} (control-plane, etcd, master)`);
    expect(text).toContain("machine default/vm1: Running");
  });

  test(
    "refuses a different token, and an upgrade with a host that has not joined it",
    { timeout: 600_000 },
    async () => {
      const token = refused("parvester", "has joined its cluster with a different token", {
        vars: { token: "not the secret of this lab" },
      });
      await expect(token).resolves.toBeUndefined();
      const stranger = refused("parvester-upgrade", "is not a node of a cluster yet", { nodes: 4 });
      await expect(stranger).resolves.toBeUndefined();
    },
  );

  test("gets an agent; a second run changes nothing", { timeout: 600_000 }, async () => {
    const more = { nodes: 4, vars: { node: scene.nodes[3]?.name } };
    await asChecked("parvester-add-node", more);
    const label = "--selector=!node-role.kubernetes.io/etcd";
    expect(get("nodes", label, "--output=name")).toBe(`node/${scene.nodes[3]?.name}\n`);
    await unchanged("parvester-add-node", more);
  });

  test("is upgraded by version, and refuses a downgrade", { timeout: 900_000 }, async () => {
    await refused("parvester", "runs a different release of RKE2", { nodes: 4, vars: { version: releases.newRke2 } });
    const { newRke2, newKubevirt } = releases;
    const digest = scene.mirror.put(`kubevirt/${newKubevirt}/kubevirt-operator.yaml`, manifests.kubevirt(newKubevirt));
    const vars = {
      version: newRke2,
      tarballs: { amd64: scene.mirror.putRke2(newRke2, scene.supervisor.places) },
      kubevirt: { version: newKubevirt, operator: digest },
    };
    await asChecked("parvester-upgrade", { nodes: 4, vars });
    const versions = get("nodes", "--output=jsonpath={.items[*].status.nodeInfo.kubeletVersion}");
    expect(versions).toBe(Array.from({ length: 4 }, () => newRke2).join(" "));
    await unchanged("parvester-upgrade", { nodes: 4, vars });
    await refused("parvester-upgrade", "cannot go back to an older release", { nodes: 4 });
  });

  test("is destroyed only if its machine may be lost; a second run changes nothing", { timeout: 900_000 }, async () => {
    await refused("parvester-destroy", "the cluster has machines", { nodes: 4, yes: true });
    const vars = { removeMachines: true, removeVolumes: true };
    await asChecked("parvester-destroy", { nodes: 4, yes: true, vars });
    for (const host of scene.nodes)
      expect(await scene.inHost(host, "ls -d /opt/rke2 /etc/rancher /var/lib/rancher 2>/dev/null || true")).toBe("");
    await unchanged("parvester-destroy", { nodes: 4, yes: true, vars });
  });
});

test(
  "a cluster of one host is created after another one was destroyed there; a second run changes nothing",
  { timeout: 900_000 },
  async () => {
    await cast.end();
    await scene.reset();
    cast = new Cast(scene.server, controllers());
    await asChecked("parvester", { nodes: 1 });
    await unchanged("parvester", { nodes: 1 });
    expect(scene.supervisor.begun).toEqual([scene.nodes[0]?.name]);
  },
);
