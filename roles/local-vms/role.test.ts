import { describe, expect, test } from "vitest";
import { reveal } from "../../src/core/secrets/secret.ts";
import { explain, type Explanation } from "../../src/testing/index.ts";
import { answersOf, soundCluster } from "../../test/guards/examples.ts";
import { claimOf } from "../../test/guards/operation-examples.ts";
import { machinesFit } from "../virtual-machines/machines-fit.ts";
import { exampleVars, parvesterExample } from "../parvester/parvester.fixture.ts";
import { parvesterSchema } from "../parvester/parvester.ts";
import { networkText, userText } from "./cloud-init.ts";
import { imageFits } from "./image-fits.ts";
import { macOf } from "./mac.ts";
import { imageObject, machineObject, networkObject } from "./objects.ts";
import { wishesOf } from "./wishes.ts";

const hash = "$6$salt$hashhashhash";
const { machines, images, networks } = parvesterExample();
const { vm1 } = machines;
if (vm1 === undefined) throw new Error("the example has no machine vm1");

/** What is wrong with the vars if the machine is changed in this way. */
function wrong(change: object, others: object = {}): string[] {
  const vars = { ...exampleVars, ...others, machines: { vm1: { ...exampleVars.machines.vm1, ...change } } };
  return (parvesterSchema.safeParse(vars).error?.issues ?? []).map(
    ({ path, message }) => `${path.join(".")}: ${message}`,
  );
}

describe("a machine", () => {
  test.each([
    ["without a key or a hash", { sshKeys: [] }, "a key, or `passwordHash`"],
    ["with a plain-text password", { passwordHash: "password" }, "never the password itself"],
    [
      "with a static address and no DNS server",
      { nics: [{ network: "lan", address: "10.0.0.1/24" }] },
      "at least one DNS server",
    ],
    ["with a gateway and no address", { nics: [{ network: "lan", gateway: "10.0.0.1" }] }, "DHCP provides the gateway"],
    ["on a network that the vars do not define", { nics: [{ network: "wan" }] }, "a name in networks"],
    ["from an image that the vars do not define", { disks: [{ image: "debian", size: "10Gi" }] }, "a name in images"],
    ["with a disk smaller than its image", { disks: [{ image: "fedora", size: "9Gi" }] }, "at least 10Gi"],
    [
      "with an address without a prefix",
      { nics: [{ network: "lan", address: "10.0.0.1", nameservers: ["1.1.1.1"] }] },
      "an address with its prefix length",
    ],
  ])("%s is refused before any host is contacted", (_what, change, words) => {
    expect(wrong(change).join("; ")).toContain(words);
  });

  test("with the address of another machine is refused", () => {
    const issues = wrong({}, {});
    expect(issues).toEqual([]);
    const both = { ...exampleVars, machines: { vm1: exampleVars.machines.vm1, vm2: exampleVars.machines.vm1 } };
    expect(parvesterSchema.safeParse(both).error?.issues[0]?.message).toBe("an address that vm1 does not have");
  });

  test("has a copy of its image, an empty disk and a card on the network, and does not migrate to another node", () => {
    const { spec } = machineObject("vm1", vm1, "default");
    expect(spec.dataVolumeTemplates?.map(({ spec: { source } }) => source)).toEqual([
      { pvc: { namespace: "default", name: "fedora" } },
      { blank: {} },
    ]);
    expect(spec.template.spec).toMatchObject({
      evictionStrategy: "None",
      networks: [{ name: "nic-0", multus: { networkName: "default/lan" } }],
      domain: { devices: { interfaces: [{ macAddress: macOf("vm1", "default", 0) }] } },
    });
  });

  test("has a MAC address for each card, which never changes and which no other card has", () => {
    const all = ["vm1", "vm2"].flatMap((name) => [0, 1].map((index) => macOf(name, "default", index)));
    expect(new Set(all).size).toBe(4);
    for (const one of all) expect(one).toMatch(/^02(:[0-9a-f]{2}){5}$/);
    expect(macOf("vm1", "default", 0)).toBe(all[0]);
  });
});

describe("a machine in the cluster", () => {
  const live = { ...machineObject("vm1", vm1, "default"), status: { printableStatus: "Running" } };
  const ask = (
    vms: ReturnType<typeof parvesterExample>,
    cluster: { machines?: object[]; claims?: object[] } = {},
    acceptVolumes: string[] = [],
  ): Explanation =>
    explain(
      machinesFit({ kubeconfig: "k", machines: wishesOf(vms), classes: [], acceptVolumes, volumesBy: "KubeVirt" }),
      { ...answersOf({ ...soundCluster, machines: [], claims: [], vmNetworks: [], ...cluster }), classes: [] },
    );
  const withDisks = (disks: object[]) =>
    parvesterExample({ machines: { vm1: { ...exampleVars.machines.vm1, disks } } });
  const changed = (disks: object[]): Explanation => ask(withDisks(disks), { machines: [live] });

  test("may be new together with its network, which check mode has not created", () => {
    expect(ask(parvesterExample()).refusal).toBeUndefined();
  });

  test("stays as it is", () => {
    expect(ask(parvesterExample(), { machines: [live] }).refusal).toBeUndefined();
  });

  test("is refused if a disk would have another size or image, which KubeVirt would ignore", () => {
    expect(changed([{ image: "fedora", size: "40Gi" }, { size: "5Gi" }]).refusal?.message).toBe(
      "the volume vm1-disk-0 of default/vm1 has 10Gi, and KubeVirt does not resize it to 40Gi: keep its size, or add the new disk to the end of the list",
    );
    expect(changed([{ size: "10Gi" }, { size: "5Gi" }]).refusal?.message).toContain(
      "the volume vm1-disk-0 of default/vm1 was made from the image default/fedora, and cannot become an empty disk: add the new disk to the end of the list",
    );
    expect(changed([{ image: "fedora", size: "10240Mi" }, { size: "5Gi" }, { size: "1Gi" }]).refusal).toBeUndefined();
  });

  test("reports a disk that it loses", () => {
    expect(changed([{ image: "fedora", size: "10Gi" }]).notes).toEqual([
      "default/vm1 loses vm1-disk-1 (5Gi); the volume stays in the cluster",
    ]);
  });

  test("gets an existing volume only if acceptVolumes lists it", () => {
    const claims = [claimOf("vm1-disk-0", "11Gi", { storageClassName: "local-path" })];
    expect(ask(parvesterExample(), { claims }).refusal?.message).toBe(
      "the volume default/vm1-disk-0 (11Gi, created 2026-03-01T00:00:00Z) exists, and default/vm1 would get it with its data: give the machine another name, delete the volume, or list it in acceptVolumes",
    );
    expect(ask(parvesterExample(), { claims }, ["default/vm1-disk-0"]).refusal).toBeUndefined();
  });

  test("that was shut down is refused, because KubeVirt does not start it", () => {
    const off = { ...live, status: { printableStatus: "Stopped", runStrategy: "RerunOnFailure" } };
    expect(ask(parvesterExample(), { machines: [off] }).refusal?.message).toContain("start it with virtctl start vm1");
  });
});

describe("cloud-init", () => {
  test("lets the user in with a key or a password hash, and nobody over SSH with a password", () => {
    const parsed = JSON.parse(userText("vm1", vm1).replace(/^.*\n/, "")) as object;
    expect(parsed).toMatchObject({ ssh_pwauth: false, users: [{ name: "admin", lock_passwd: true }] });
    const hashed = parvesterExample({
      machines: { vm1: { ...exampleVars.machines.vm1, sshKeys: [], passwordHash: hash } },
    });
    const text = userText("vm1", hashed.machines["vm1"] ?? vm1);
    expect(text).not.toContain(hash);
    expect(JSON.parse(reveal(text).replace(/^.*\n/, ""))).toMatchObject({
      users: [{ lock_passwd: false, passwd: hash }],
    });
  });

  test("sets the static address on the card with the MAC address", () => {
    expect(JSON.parse(networkText("vm1", vm1, "default"))).toEqual({
      version: 2,
      ethernets: {
        nic0: {
          match: { macaddress: macOf("vm1", "default", 0) },
          dhcp4: false,
          addresses: ["192.168.101.11/24"],
          routes: [{ to: "0.0.0.0/0", via: "192.168.101.1" }],
          nameservers: { addresses: ["1.1.1.1"] },
        },
      },
    });
  });
});

describe("an image", () => {
  const source = (text: string) =>
    parvesterSchema.safeParse({ ...exampleVars, images: { fedora: { source: text, size: "10Gi" } } }).success;

  test.each([
    ["https://example.org/fedora-40-1.14.qcow2", true],
    [`docker://quay.io/containerdisks/fedora@sha256:${"a".repeat(64)}`, true],
    ["https://example.org/AlmaLinux-9-GenericCloud-latest.x86_64.qcow2", false],
    ["docker://quay.io/containerdisks/fedora:40", false],
    ["http://example.org/fedora.qcow2", false],
    ["https://me:secret@example.org/fedora.qcow2", false],
  ])("from %s: %s", (text, isGood) => {
    expect(source(text)).toBe(isGood);
  });

  test("is a volume that is filled immediately and not deleted afterwards", () => {
    const image = images["fedora"];
    if (image === undefined) throw new Error("the example has no image");
    expect(imageObject("fedora", image, "default")).toMatchObject({
      metadata: {
        annotations: {
          "cdi.kubevirt.io/storage.bind.immediate.requested": "",
          "cdi.kubevirt.io/storage.deleteAfterCompletion": "false",
        },
      },
      spec: { source: { http: { url: image.source } }, storage: { storageClassName: "local-path" } },
    });
  });

  test("that exists is never replaced by a different one", () => {
    const call = imageFits({ kubeconfig: "k", namespace: "default", image: "fedora", source: "https://a.example/b" });
    const of = (url: string) => ({
      volume: {
        found: true,
        object: { kind: "DataVolume", metadata: { name: "fedora" }, spec: { source: { http: { url } } } },
      },
    });
    expect(explain(call, of("https://a.example/b")).refusal).toBeUndefined();
    expect(explain(call, of("https://a.example/c")).refusal?.code).toBe("other-image");
    expect(explain(call, { volume: { found: false } }).refusal).toBeUndefined();
  });
});

test("a network's JSON names the bridge and the VLAN", () => {
  const lan = networks["lan"];
  if (lan === undefined) throw new Error("the example has no network");
  expect(JSON.parse(networkObject("lan", lan, "default").spec.config)).toEqual({
    cniVersion: "0.3.1",
    name: "lan",
    type: "bridge",
    bridge: "br0",
    vlan: 101,
    ipam: {},
  });
});
