import { absent, refuse, task, z } from "../../src/authoring.ts";
import { azure, azureOwnerTag } from "../../src/facts/catalogue.ts";
import { common, foreign, location, notInPlace, resourceName, tagsWith } from "./own.ts";

const params = z
  .strictObject({
    name: resourceName().describe("Name of the resource group"),
    location: location()
      .optional()
      .describe("Location of the group and of what furrow creates in it; required unless state is absent"),
    tags: common.tags(),
    owner: common.owner(),
    subscription: common.subscription(),
    state: common.state().describe("Whether the group exists; absent deletes it, but only if nothing is left in it"),
  })
  .refine((p) => p.state === "absent" || p.location !== undefined, {
    message: "a location, unless the state is absent",
    path: ["location"],
  });

/** Creates or tags a resource group in Azure, or deletes it once it is empty. */
export const azureResourceGroup = task({
  name: "azureResourceGroup",
  summary: "Create a resource group in Azure, or delete it if it is empty",
  params,
  service: "azure",
  examples: [
    { name: "harvester", location: "westeurope" },
    { name: "harvester", state: "absent" },
  ],
  title: (p) => `azureResourceGroup ${p.name}`,
  disturbs: () => [azure.all],
})
  .facts(({ name, subscription }) => ({ group: azure.group({ name, subscription }) }))
  .facts((p, { group }) => {
    const { name, location = "", subscription } = p;
    const isGoing = p.state === "absent" && group !== absent;
    return {
      contents: isGoing ? [azure.contents({ name: "all", group: name, subscription })] : [],
      locations: p.state === "present" && group === absent ? [azure.location({ name: location, subscription })] : [],
    };
  })
  .facts((p, { contents: [contents = absent] }) => {
    const named = contents === absent ? [] : contents.all.map((one) => partOf(one, p.name, p.subscription));
    return { parts: named.flatMap((one) => one ?? []) };
  })
  .want((p, { group, contents: [contents = absent], locations, parts }) => {
    const refusal = foreign("resource group", p, group);
    if (refusal !== undefined) return refusal;
    if (p.state === "absent") {
      // A resource that an earlier task deletes counts as deleted, in check mode too.
      const left = contents === absent ? [] : contents.all.filter((one) => isLeft(one, contents.all, parts));
      return left.length === 0 ? { group: absent } : notEmpty(p.name, left);
    }
    const { location = "" } = p;
    if (locations.includes(absent)) {
      return refuse({
        code: "no-location",
        message: `the subscription has no location ${location}`,
        hint: "Choose another location: az account list-locations --output table",
      });
    }
    if (group !== absent && group.location !== location) {
      return notInPlace(`the resource group ${p.name}`, "location", group.location, location, "all that it contains");
    }
    return { group: { location, state: "Succeeded", tags: tagsWith(p, group) } };
  })
  .steps((p, { change, now: { group } }) => {
    if (change.group === undefined) return [];
    const { name, owner, subscription, location = "" } = p;
    const place = { name, group: name, owner, subscription };
    if (p.state === "absent") {
      return [azure.call({ act: "delete", kind: "group", ...place }, `delete the empty resource group ${name}`)];
    }
    const tags = tagsWith(p);
    if (group !== absent && group.state === "Succeeded") {
      return [azure.call({ act: "tag", kind: "group", ...place, tags }, `tag the resource group ${name}`)];
    }
    return [azure.call({ act: "createGroup", ...place, location, tags }, `create the resource group ${name}`)];
  });

/** The kinds of facts that show whether a resource of a group still exists. */
const kinds = {
  "microsoft.compute/virtualmachines": "machine",
  "microsoft.compute/disks": "disk",
  "microsoft.network/networkinterfaces": "card",
  "microsoft.network/publicipaddresses": "address",
  "microsoft.network/virtualnetworks": "network",
  "microsoft.network/networksecuritygroups": "securityGroup",
} as const;

/** The kind of `Microsoft.Compute/disks/data-1`; undefined if furrow does not know it. */
function kindOf(one: string): (typeof kinds)[keyof typeof kinds] | undefined {
  const type = one.slice(0, one.lastIndexOf("/")).toLowerCase();
  return type in kinds ? kinds[type as keyof typeof kinds] : undefined;
}

function partOf(one: string, group: string, subscription: string | undefined) {
  const kind = kindOf(one);
  const name = one.slice(one.lastIndexOf("/") + 1);
  return kind === undefined ? undefined : azure[kind]({ name, group, subscription });
}

function isLeft(one: string, all: readonly string[], parts: readonly unknown[]): boolean {
  const known = all.filter((other) => kindOf(other) !== undefined);
  const at = known.indexOf(one);
  return at < 0 || parts[at] !== absent;
}

function notEmpty(name: string, left: readonly string[]) {
  return refuse({
    code: "group-not-empty",
    message: `the resource group ${name} would be deleted with ${left.length} resources that no earlier task removes: ${left.slice(0, 10).join(", ")}${left.length > 10 ? ", …" : ""}`,
    expected: `an empty group; its tag ${azureOwnerTag} only shows that furrow created the group itself`,
    hint: 'Remove these with their own tasks and state: "absent", or move them to another group',
  });
}
