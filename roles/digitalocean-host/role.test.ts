import { expect, test } from "vitest";
import { digitalOceanHost, digitalOceanHostGone, digitalOceanHostSchema } from "./role.ts";

const inputs = (calls: readonly unknown[]): unknown[] =>
  calls.flat(2).map((call) => (call as { input: unknown }).input);
const wanted = { publicKey: "ssh-ed25519 AAAA" };

test("gives three small nodes three volumes and the next larger droplet", () => {
  const host = digitalOceanHostSchema.parse({ ...wanted, nodes: 3 });
  expect(inputs(digitalOceanHost(host, ["192.0.2.7/32"]))).toMatchObject([
    { name: "harvester", publicKey: "ssh-ed25519 AAAA" },
    {
      owner: "harvester",
      inbound: [
        { allow: ["tcp:443"], from: ["0.0.0.0/0", "::/0"] },
        { allow: ["tcp:22", "tcp:6443"], from: ["192.0.2.7/32"] },
      ],
    },
    { name: "harvester-data-1", region: "fra1", sizeGb: 500 },
    { name: "harvester-data-2" },
    { name: "harvester-data-3" },
    { size: "g-32vcpu-128gb", volumes: { length: 3 }, tags: ["made-by:furrow"] },
    { port: 22 },
  ]);
});

test("deletes the droplet before its volumes, and the firewall after the droplet", () => {
  const gone = inputs(digitalOceanHostGone({ prefix: "lab" })) as { name: string; state: string }[];
  const volumes = [1, 2, 3, 4, 5].map((number) => `lab-data-${number}`);
  expect(gone.map(({ name }) => name)).toEqual(["lab", ...volumes, "lab", "lab"]);
  expect(gone.every(({ state }) => state === "absent")).toBe(true);
});
