import { FurrowError } from "../../core/errors.ts";
import { absent } from "../../core/facts/symbols.ts";
import { type AzureAct, azureOwnerTag, azurePartsOf, type AzurePlace } from "../../facts/cloud/azure/index.ts";
import type { Api } from "./api.ts";
import { keepAddresses } from "./card.ts";
import { addTags, change, idOf, remove, untilGone } from "./change.ts";
import { calledOf } from "./kinds.ts";
import { nameIn, objectOf, objectsOf, propertiesOf, type Raw, textOf } from "./raw.ts";
import { assertOwn, owned, settled } from "./read.ts";
import { cardsOf } from "./views.ts";

type Act<K extends AzureAct["act"]> = Extract<AzureAct, { readonly act: K }>;

/** Tells Azure to keep data disks when their machine is deleted. */
export async function keepDisks(api: Api, act: Act<"keepDisks">): Promise<void> {
  const dataDisks = disksOf(await owned(api, "machine", act)).map((disk) =>
    act.disks.some((name) => isNamed(disk, name)) ? { ...disk, deleteOption: "Detach" } : disk,
  );
  const body = { properties: { storageProfile: { dataDisks } } };
  const what = `mark the data disks of the machine ${act.name} to be kept`;
  await change(api, "machine", act, { method: "PATCH", body, what });
  await settled(api, "machine", act);
}

/**
 * Deletes a machine with its first disk, its interface and its address; its data disks and other interfaces are kept.
 */
export async function deleteMachine(api: Api, act: Act<"delete">): Promise<void> {
  const { group, name, owner } = act;
  const now = await settled(api, "machine", act);
  if (now !== absent) {
    assertOwn(now, calledOf("machine", act), owner);
    await deleteWithDisk(api, act, now);
  }
  const parts = azurePartsOf(name);
  // These resources remain if the machine's creation never finished or its delete options were changed.
  const disk = { group, name: parts.osDisk };
  const first = await settled(api, "disk", disk);
  if (first !== absent && objectOf(first["tags"])[azureOwnerTag] === owner && textOf(first["managedBy"]) === "") {
    await remove(api, "disk", disk);
  }
  for (const kind of ["card", "address"] as const) {
    const place = { group, name: parts[kind] };
    const left = await settled(api, kind, place);
    if (left === absent) continue;
    assertOwn(left, calledOf(kind, place), owner);
    await remove(api, kind, place);
  }
}

/** Deletes a machine and its first disk, regardless of the delete options that others have set. */
async function deleteWithDisk(api: Api, act: Act<"delete">, seen: Raw): Promise<void> {
  const ownCard = idOf(api, "card", { group: act.group, name: azurePartsOf(act.name).card });
  let now = seen;
  if (wrongOptions(now, ownCard).length > 0) {
    await change(api, "machine", act, {
      method: "PATCH",
      body: { properties: optionsFor(now, ownCard) },
      what: `mark the resources to keep when the machine ${act.name} is deleted`,
    });
    now = await owned(api, "machine", act);
  }
  const wrong = wrongOptions(now, ownCard);
  if (wrong.length > 0) {
    throw new FurrowError("E_DRIVER", {
      what: `cannot delete the machine ${act.name}: Azure would delete or keep the wrong resources`,
      current: wrong.join(", "),
      expected: "deleteOption Delete for the first disk, and Detach for data disks and other interfaces",
      hint: "Rerun if something else is changing the machine, or set the options in the portal",
    });
  }
  await keepAddresses(api, act);
  const { name, managedDisk } = firstDiskOf(now);
  const left = { group: act.group, name: nameIn(objectOf(managedDisk)["id"]) || textOf(name) };
  await tagFirstDisk(api, act, left.name);
  await remove(api, "machine", act);
  if (left.name !== "") await untilGone(api, "disk", left);
}

/** Marks the first disk of a machine, so that an unfinished deletion can be finished later. */
export async function tagFirstDisk(
  api: Api,
  { group, owner }: AzurePlace & { readonly owner: string },
  name: string,
): Promise<void> {
  const place = { group, name };
  const disk = name === "" ? absent : await settled(api, "disk", place);
  if (disk === absent || objectOf(disk["tags"])[azureOwnerTag] === owner) return;
  await addTags(api, "disk", place, disk, { [azureOwnerTag]: owner });
}

const storageOf = (machine: Raw): Raw => objectOf(propertiesOf(machine)["storageProfile"]);
const firstDiskOf = (machine: Raw): Raw => objectOf(storageOf(machine)["osDisk"]);
const disksOf = (machine: Raw): readonly Raw[] => objectsOf(storageOf(machine)["dataDisks"]);
const isNamed = (disk: Raw, name: string): boolean =>
  (nameIn(objectOf(disk["managedDisk"])["id"]) || textOf(disk["name"])).toLowerCase() === name.toLowerCase();
const isCard = (card: Raw, id: string): boolean => textOf(card["id"]).toLowerCase() === id.toLowerCase();

/** The resources that Azure would wrongly delete or keep if the machine were deleted now. */
function wrongOptions(machine: Raw, ownCard: string): readonly string[] {
  const cards = cardsOf(machine).filter(
    (card) => !isCard(card, ownCard) && propertiesOf(card)["deleteOption"] === "Delete",
  );
  const disks = disksOf(machine).filter(({ deleteOption }) => deleteOption === "Delete");
  return [
    ...(firstDiskOf(machine)["deleteOption"] === "Delete" ? [] : ["the first disk would be kept"]),
    ...disks.map(({ name }) => `the data disk ${textOf(name)} would be deleted`),
    ...cards.map(({ id }) => `the interface ${nameIn(id)} would be deleted`),
  ];
}

/**
 * The options with which only the first disk and the machine's own interface are deleted. Each list is sent in full.
 */
function optionsFor(machine: Raw, ownCard: string): object {
  const dataDisks = disksOf(machine).map((disk) => ({ ...disk, deleteOption: "Detach" }));
  const cards = cardsOf(machine);
  const networkInterfaces = cards.map((card, at) => ({
    id: card["id"],
    properties: { primary: at === 0, deleteOption: isCard(card, ownCard) ? "Delete" : "Detach" },
  }));
  return {
    storageProfile: { osDisk: { deleteOption: "Delete" }, dataDisks },
    ...(cards.length > 0 && { networkProfile: { networkInterfaces } }),
  };
}
