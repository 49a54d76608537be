import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Clone } from "../cloud/pages/clone.ts";
import { covered } from "../covered.ts";
import { Cast } from "../kube/kills/rig.ts";
import { perform, putFiles } from "../kube/pages/perform.ts";
import { controllers } from "./actors.ts";
import { bridgesRow, pageRow } from "./page-row.ts";
import { Scene } from "./scene.ts";

let scene: Scene;
let cast: Cast;
let clone: Clone;

beforeAll(async () => {
  clone = new Clone();
  scene = await Scene.up(`parvester-page-${process.pid}`, 4);
  cast = new Cast(scene.server, controllers());
  const { lab, mirror } = scene;
  writeFileSync(join(clone.home, ".ssh/id_ed25519"), readFileSync(lab.identityFile), { mode: 0o600 });
  writeFileSync(join(clone.home, ".ssh/known_hosts"), readFileSync(lab.knownHostsFile));
  clone.env["NODE_EXTRA_CA_CERTS"] = mirror.authority;
  clone.placeholders.push(...placeholders());
  putFiles(clone, pageRow.page);
});
afterAll(async () => {
  await cast?.end();
  clone?.remove();
  await scene?.down();
});

const none = `sha256:${"0".repeat(64)}`;

interface Vars {
  readonly tarballs: { readonly amd64: string };
  readonly kubevirt: { readonly operator: string; readonly virtctl: { readonly amd64: string } };
  readonly cdi: { readonly operator: string };
  readonly localPath: { readonly manifest: string };
}

/** The values of the page's placeholders: addresses, keys and digests of the lab, and sizes that fit its hosts. */
function placeholders(): [placeholder: string, value: string][] {
  const { lab, nodes, machine, mirror } = scene;
  const { tarballs, kubevirt, cdi, localPath } = scene.vars as unknown as Vars;
  const { emulation, virtFailures, readySeconds, stackSeconds } = scene.vars;
  const small = { mirror: mirror.url, emulation, virtFailures, readySeconds, stackSeconds };
  const first = "version: v1.28.11+rke2r1\n";
  return [
    ...nodes.map(({ address }, at): [string, string] => [`10.0.0.1${at + 1}`, address]),
    ['user: "admin"', 'user: "root"'],
    [
      first,
      `${first}${Object.entries(small)
        .map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
        .join("")}`,
    ],
    [`tarballs: { amd64: "${none}" }`, `tarballs: { amd64: "${tarballs.amd64}" }`],
    [`v1.1.1\n  operator: ${none}`, `v1.1.1\n  operator: ${kubevirt.operator}`],
    [`virtctl: { amd64: "${none}" }`, `virtctl: { amd64: "${kubevirt.virtctl.amd64}" }`],
    [`v1.59.0\n  operator: ${none}`, `v1.59.0\n  operator: ${cdi.operator}`],
    [`manifest: ${none}`, `manifest: ${localPath.manifest}`],
    ["192.168.101.11/24", `${machine.address}/24`],
    ["192.168.101.1,", `${lab.gateway},`],
    [
      "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHGUqVJ3NjrJ5hjHvJkE6dSg2V8Y7CnXx1bVZpC7h1Ux me",
      readFileSync(`${lab.identityFile}.pub`, "utf8").trim(),
    ],
  ];
}

const onNodes = (script: string): Promise<string[]> =>
  Promise.all(scene.nodes.map((node) => scene.inHost(node, script)));

/** Lists networkd's files on a host and the ports of the bridge. */
const bridges = "ls /etc/systemd/network; ip -o link show master br0 2>/dev/null | cut -d ' ' -f 2";

test("check with the page's bridges says that each host gets a bridge, and creates none", async () => {
  // A second network card, which is not connected to any other network.
  await onNodes("ip link delete br0; ip link add eth1 type veth peer name far1; ip link set far1 up");
  clone.env["RKE2_TOKEN"] = "a token of this check alone";
  const before = await onNodes(bridges);
  expect(await perform(clone, bridgesRow)).toBe("");
  expect(await onNodes(bridges)).toEqual(before);
  expect(await onNodes("ip -o link show br0 2>/dev/null || true")).toEqual(["", "", "", ""]);
  covered("docs/guides/parvester.md: check with bridges on four hosts with a second card");
});

test("the page's commands create a cluster and a machine that accepts a login", { timeout: 1_800_000 }, async () => {
  await onNodes("ip link add br0 type bridge; ip link set br0 up");
  expect(await perform(clone, pageRow)).toBe("");
  expect(scene.supervisor.begun).toEqual(["node-1"]);
  expect(readFileSync(join(clone.folder, "parvester-kubeconfig.yaml"), "utf8")).toContain("clusters");
  covered("docs/guides/parvester.md: from the page's files to a machine that accepts a login");
});
