import { describe, expect, test } from "vitest";
import { absent, type Node, type TaskCall } from "../../../src/authoring.ts";
import { kubeThere } from "../../../src/facts/catalogue.ts";
import { explain } from "../../../src/testing/index.ts";
import { virtualMachines } from "../../virtual-machines/role.ts";
import { vmImages } from "../../vm-images/role.ts";
import { vmNetworks } from "../../vm-networks/role.ts";
import { vmRestore } from "../../vm-restore/role.ts";
import { inNamespaces, namespacesExist } from "./namespaces-exist.ts";

const kubeconfig = "k";

test("names a missing namespace, and shows the command that creates it", () => {
  const namespaces = { tenants: ["the network cluster", "the network lab"], shop: ["the network web"] };
  const ask = (...found: unknown[]) => explain(namespacesExist({ kubeconfig, namespaces }), { found }).refusal;
  expect(ask(absent, kubeThere)).toMatchObject({
    code: "no-namespace",
    message: "the cluster does not have the namespace tenants, which the network cluster and the network lab need",
    hint: "Create it first (kubectl create namespace tenants), or correct the vars",
  });
  expect(ask(absent, absent)?.message).toContain("; the namespace shop, which the network web needs");
  expect(ask(kubeThere, kubeThere)).toBeUndefined();
});

test("uses the singular in its title for one namespace", () => {
  const titleOf = (...names: string[]): string => {
    const namespaces = Object.fromEntries(names.map((name) => [name, ["the machine web"]]));
    const params = { kubeconfig, namespaces };
    return (namespacesExist(params) as TaskCall).module.card.title?.(params) ?? "";
  };
  expect(titleOf("nope")).toBe("the cluster has the namespace nope");
  expect(titleOf("a", "b")).toBe("the cluster has the namespaces a, b");
});

test("does not ask for the namespace default, which every cluster has", () => {
  expect(inNamespaces(kubeconfig, [{ name: "a", namespace: "default" }])).toEqual([]);
});

describe("a missing namespace is noticed before anything changes", () => {
  const namespace = "tenants";
  test.each([
    ["networks", vmNetworks({ kubeconfig, clusterNetworks: { mgmt: { networks: { lab: { vlan: 10, namespace } } } } })],
    ["images", vmImages({ kubeconfig, images: { debian: { url: "https://example.org/a.qcow2", namespace } } })],
    [
      "machines",
      virtualMachines({
        kubeconfig,
        machines: {
          web: { cores: 1, memory: "1Gi", disks: [{ size: "1Gi" }], networks: [{ network: "lab" }], namespace },
        },
      }),
    ],
    ["restored machines", vmRestore({ kubeconfig, backup: "b", newMachine: "web", targetNamespace: namespace })],
  ])("of %s", (_what, given) => {
    const [first] = callsIn(given);
    expect(first?.module.card.name).toBe("namespacesExist");
    expect(first?.input).toMatchObject({ namespaces: { tenants: [expect.any(String)] } });
  });
});

function callsIn(node: Node): TaskCall[] {
  if (Array.isArray(node)) return node.flatMap((one: Node) => callsIn(one));
  if (node === null || node === undefined || node === false || !("node" in node)) return [];
  if (node.node === "task") return [node];
  return node.node === "group" ? node.children.flatMap((one) => callsIn(one)) : [];
}
