import { describe, expect, test } from "vitest";
import { type Playbook, playbook } from "../../../src/authoring.ts";
import { azureDriver } from "../../../src/cloud/azure/driver.ts";
import * as t from "../../../tasks/index.ts";
import type { AzureFake } from "../azure-fake/fake.ts";
import { eachWithAzureFake } from "../azure-fake/here.ts";
import { subscription, type Thing } from "../azure-fake/world.ts";
import { type RunHere, runHere } from "../run-here.ts";
import { destroy, provision } from "./books.ts";

let fake: AzureFake;
eachWithAzureFake((made) => {
  fake = made;
});

const outcomes = ({ tasks }: RunHere): unknown[] => tasks.map(({ outcome }) => outcome);
const said = ({ tasks }: RunHere): string => {
  const { what, current, expected, hint } = tasks.find(({ outcome }) => outcome === "failed")?.error?.failure ?? {};
  return [what, current, expected, hint].filter(Boolean).join(" | ");
};
const book = (...tasks: readonly object[]): Playbook =>
  playbook({ name: "one", plays: [{ hosts: "all", tasks: () => tasks as never }] });
const ground = [
  t.azureResourceGroup({ name: "lab", location: "westeurope" }),
  t.azureNetwork({ name: "lab", group: "lab" }),
];

/** Adds a resource that somebody else has made. `path` is the type with the name: `Microsoft.Compute/disks/data`. */
function put(path: string, group = "lab", more: Partial<Thing> = {}): Thing {
  const id = `/subscriptions/${subscription}/resourceGroups/${group}/providers/${path}`;
  const [service, ...parts] = path.split("/");
  const every = (odd: number): string => parts.filter((_, at) => at % 2 === odd).join("/");
  const properties = { provisioningState: "Succeeded" };
  const type = `${service}/${every(0)}`;
  const made: Thing = { id, name: every(1), type, location: "westeurope", tags: {}, properties, ...more };
  fake.world.things.set(id.toLowerCase(), made);
  return made;
}

describe("a resource group", () => {
  const removal = book(t.azureResourceGroup({ name: "lab", state: "absent" }));

  const remove = async (): Promise<unknown> => {
    const act = { act: "delete", kind: "group", name: "lab", group: "lab", owner: "furrow" };
    return azureDriver.call(act, new AbortController().signal, () => undefined);
  };

  test("is not deleted with what somebody has made after the plan", async () => {
    await runHere(book(ground[0] ?? {}));
    put("Microsoft.Compute/snapshots/payroll");
    fake.world.cached = [];
    await expect(remove()).rejects.toMatchObject({
      failure: { current: "1 resources: Microsoft.Compute/snapshots/payroll", expected: "an empty group" },
    });
    expect(fake.changes.filter((call) => call.startsWith("DELETE "))).toEqual([]);
    expect(fake.world.names()).toEqual({ resourceGroups: ["lab"], snapshots: ["payroll"] });
  });

  test("is not deleted with what the list of all resources does not show yet", async () => {
    await runHere(book(ground[0] ?? {}));
    put("Microsoft.Compute/disks/payroll");
    fake.world.cached = [];
    for (const mode of ["check", "apply"] as const) {
      expect(said(await runHere(removal, { mode }))).toMatch(/1 resources.*Microsoft.Compute\/disks\/payroll/);
    }
    expect(fake.world.names()).toEqual({ resourceGroups: ["lab"], disks: ["payroll"] });
  });

  test("is not deleted with resources of unknown types, of which all are named", async () => {
    await runHere(book(ground[0] ?? {}));
    for (const name of ["a", "b", "c"]) put(`Microsoft.Web/sites/${name}`);
    put("Microsoft.Web/sites/c/slots/old");
    expect(said(await runHere(removal))).toMatch(
      /3 resources.*sites\/a, Microsoft.Web\/sites\/b, Microsoft.Web\/sites\/c/,
    );
  });

  test("is deleted although the list of all resources still shows what is gone", async () => {
    await runHere(book(...ground));
    fake.world.cached = fake.world.contents("lab");
    const network = t.azureNetwork({ name: "lab", group: "lab", state: "absent" });
    const gone = book(network, t.azureResourceGroup({ name: "lab", state: "absent" }));
    expect(outcomes(await runHere(gone))).toEqual(["changed", "changed"]);
    expect(fake.world.names()).toEqual({});
  });

  test("is deleted with a machine's extension, which is gone with the machine", async () => {
    await runHere(provision);
    put("Microsoft.Compute/virtualMachines/lab/extensions/MDE.Linux");
    expect(outcomes(await runHere(destroy, { mode: "check" }))).toEqual(["changed", "changed", "changed", "changed"]);
    expect(outcomes(await runHere(destroy))).toEqual(["changed", "changed", "changed", "changed"]);
    expect(fake.world.names()).toEqual({});
  });
});
