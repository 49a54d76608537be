import { expect, test } from "vitest";
import { azureHost, azureHostGone, azureHostSchema } from "./role.ts";

const inputs = (calls: readonly unknown[]): unknown[] =>
  calls.flat(2).map((call) => (call as { input: unknown }).input);

test("gives three small nodes three disks and the next larger machine", () => {
  const host = azureHostSchema.parse({ publicKey: "ssh-ed25519 AAAA", nodes: 3 });
  expect(inputs(azureHost(host, ["192.0.2.7/32"]))).toMatchObject([
    { name: "harvester", location: "westeurope", owner: "harvester" },
    {
      name: "harvester",
      group: "harvester",
      inbound: [
        { allow: ["tcp:443"], from: ["0.0.0.0/0"] },
        { allow: ["tcp:22", "tcp:6443"], from: ["192.0.2.7/32"] },
      ],
    },
    { name: "harvester-data-1", sizeGb: 500 },
    { name: "harvester-data-2" },
    { name: "harvester-data-3" },
    { size: "Standard_D32s_v5", dataDisks: { length: 3 }, nestedVirtualization: true },
    { port: 22 },
  ]);
});

test("deletes the machine before its disks, and the group last, if at all", () => {
  const gone = inputs(azureHostGone({ prefix: "lab", deleteGroup: true })) as { name: string; state: string }[];
  const disks = [1, 2, 3, 4, 5].map((number) => `lab-data-${number}`);
  expect(gone.map(({ name }) => name)).toEqual(["lab", ...disks, "lab", "lab"]);
  expect(gone.every(({ state }) => state === "absent")).toBe(true);
  expect(inputs(azureHostGone({ prefix: "lab" }))).toEqual(gone.slice(0, -1));
});
