import { expect, test } from "vitest";
import { metalSchema } from "./metal.ts";

const login = { user: "furrow", password: "bmc-pass-word" };
const nodes = [
  { name: "n1", address: "192.168.10.11", redfish: { url: "https://bmc-1", ...login } },
  { name: "n3", address: "192.168.10.13" },
] as const;
const vars = { kubeconfig: "k", record: "/root/shutdown.json", nodes };
const once =
  "each management controller, or each machine of a controller, only once: two nodes cannot be the same machine";
const bmc = (name: string, url: string, system?: string): object => ({
  name,
  address: name,
  redfish: { url, ...login, ...(system !== undefined && { system }) },
});
const lan = (name: string, address: string): object => ({ name, address: name, ipmi: { address, ...login } });

test("the vars accept several machines behind one controller", () => {
  const list = [bmc("n1", "https://b", "1"), bmc("n2", "https://b", "2"), lan("n3", "b")];
  expect(metalSchema.safeParse({ ...vars, nodes: list }).success).toBe(true);
});

test.each([
  ["two ways", [{ ...nodes[0], ipmi: { address: "b", ...login } }], "Redfish or IPMI, not both"],
  ["one node twice", [nodes[1], nodes[1]], "each node once"],
  ["one controller twice", [bmc("n1", "https://b"), bmc("n2", "https://b:443/")], once],
  [
    "one machine of a controller twice",
    [bmc("n1", "https://b", "1"), bmc("n2", "https://b", "/redfish/v1/Systems/1")],
    once,
  ],
  ["one address twice", [lan("n1", "b"), lan("n2", "B")], once],
  [
    "no https",
    [{ ...nodes[1], redfish: { url: "http://b", ...login } }],
    "an https URL, like https://bmc-1.example.org",
  ],
  ["a name in place of a URL", [bmc("n1", "bmc-1")], "an https URL, like https://bmc-1.example.org"],
  ["a wrong address", [{ name: "n1", address: "192.168.10.312" }], "a name, or an address like 192.168.10.11"],
])("the vars refuse %s", (_what, list, says) => {
  expect(metalSchema.safeParse({ ...vars, nodes: list }).error?.issues[0]?.message).toBe(says);
});

test("the vars refuse the kubeconfig as the record", () => {
  const { error } = metalSchema.safeParse({ ...vars, kubeconfig: "/root/k", record: "/root/k" });
  expect(error?.issues[0]).toMatchObject({
    path: ["record"],
    message: "a file of its own: the kubeconfig would be replaced by the record",
  });
});
