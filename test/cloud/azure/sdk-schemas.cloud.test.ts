import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../../scripts/docs/pages.ts";
import type { AzureFake } from "../azure-fake/fake.ts";
import { eachWithAzureFake } from "../azure-fake/here.ts";
import { runHere } from "../run-here.ts";
import { provision } from "./books.ts";

let fake: AzureFake;
eachWithAzureFake((made) => {
  fake = made;
});

type Convert = (value: unknown) => unknown;

/** Returns a function that reads and writes a body with Microsoft's own package, which knows the published schemas. */
async function throughSdk(file: string, model: string): Promise<Convert> {
  const path = join(root, "node_modules/@azure", file);
  const models = (await import(/* @vite-ignore */ path)) as Readonly<Record<string, Convert>>;
  const [read, write] = [models[`${model}Deserializer`], models[`${model}Serializer`]];
  if (read === undefined || write === undefined) throw new Error(`${file} has no ${model}`);
  return (body) => JSON.parse(JSON.stringify(write(read(body)))) as unknown;
}

const network = "arm-network/dist/esm/models/common/models.js";

test.each([
  ["virtualMachines", "arm-compute/dist/esm/models/compute/models.js", "virtualMachine"],
  ["disks", "arm-compute/dist/esm/models/computeDisk/models.js", "disk"],
  ["virtualNetworks", network, "virtualNetwork"],
  ["networkSecurityGroups", network, "networkSecurityGroup"],
  ["networkInterfaces", network, "networkInterface"],
  ["publicIPAddresses", network, "publicIPAddress"],
])("Azure's SDK knows every property of %s that furrow sends", async (type, file, model) => {
  await runHere(provision);
  const convert = await throughSdk(file, model);
  const bodies = fake.sent.filter(({ call }) => call.startsWith("PUT ") && call.split("/").at(-2) === type);
  expect(bodies).toHaveLength(1);
  for (const { body } of bodies) {
    expect(convert(body)).toEqual(body);
    // The comparison notices an unknown property.
    const { properties } = body as { properties: object };
    expect(convert({ ...(body as object), properties: { ...properties, notInAzure: 1 } })).toEqual(body);
  }
});
