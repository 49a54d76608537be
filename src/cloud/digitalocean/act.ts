import { absent } from "../../core/facts/symbols.ts";
import { type DigitalOceanAct, digitalOceanKeyName } from "../../facts/cloud/digitalocean/index.ts";
import { waitUntil } from "../wait.ts";
import { type Api, ask, type Asked } from "./api.ts";
import { attachVolume, awaitDroplet, createDroplet, deleteDroplet, dropletAct, tagDroplet } from "./droplet.ts";
import { ownId } from "./own.ts";
import { firewall, ownKey, volume, volumeAt } from "./read.ts";
import { addTags, ensureTags } from "./tags.ts";
import { firewallOf, type Raw, rulesOf, textOf, textsOf } from "./views.ts";

/** Performs an action, and waits until the API shows the result. Throws FurrowError E_DRIVER or E_WAIT. */
export async function perform(api: Api, act: DigitalOceanAct): Promise<void> {
  switch (act.act) {
    case "createSshKey":
      return createSshKey(api, act);
    case "deleteSshKey":
      return deleteSshKey(api, act);
    case "createVolume":
      return createVolume(api, act);
    case "growVolume":
      return growVolume(api, act);
    case "tagVolume": {
      const id = ownId(await volume(api, act.name, act.region), `volume ${act.name}`, act.owner);
      return addTags(api, act.tags, "volume", id);
    }
    case "deleteVolume":
      return deleteVolume(api, act);
    case "createFirewall":
    case "changeFirewall":
      return putFirewall(api, act);
    case "deleteFirewall":
      return deleteFirewall(api, act);
    case "createDroplet":
      return createDroplet(api, act);
    case "awaitDroplet":
      return awaitDroplet(api, act);
    case "attachVolume":
      return attachVolume(api, act);
    case "tagDroplet":
      return tagDroplet(api, act);
    case "startDroplet":
    case "resizeDroplet":
      return dropletAct(api, act);
    case "deleteDroplet":
      return deleteDroplet(api, act);
  }
}

type Act<K extends DigitalOceanAct["act"]> = Extract<DigitalOceanAct, { readonly act: K }>;

async function createSshKey(api: Api, { name, publicKey }: Act<"createSshKey">): Promise<void> {
  const body = { name: digitalOceanKeyName(name), public_key: publicKey };
  await create(api, { path: "account/keys", body, what: `register the SSH key ${name}` }, () => ownKey(api, name));
}

async function deleteSshKey(api: Api, { name }: Act<"deleteSshKey">): Promise<void> {
  const found = await ownKey(api, name);
  if (found === absent) return;
  await remove(api, `account/keys/${textOf(found["id"])}`, `delete the SSH key ${name}`);
  await gone(api, `SSH key ${name}`, async () => (await ownKey(api, name)) === absent);
}

async function createVolume(api: Api, act: Act<"createVolume">): Promise<void> {
  const { name, region, sizeGb, tags } = act;
  const body = { name, region, size_gigabytes: sizeGb, tags, description: "Made by furrow" };
  await create(api, { path: "volumes", body, what: `create the volume ${name} in ${region}` }, () =>
    volume(api, name, region),
  );
}

async function growVolume(api: Api, { name, region, sizeGb, owner }: Act<"growVolume">): Promise<void> {
  const id = ownId(await volume(api, name, region), `volume ${name}`, owner);
  const body = { type: "resize", size_gigabytes: sizeGb, region };
  await ask(api, { method: "POST", path: `volumes/${id}/actions`, body, what: `grow the volume ${name}` });
  await settled(api, `the volume ${name} to have ${sizeGb} GiB`, async () => {
    const now = await volume(api, name, region);
    return now !== absent && now["size_gigabytes"] === sizeGb;
  });
}

async function deleteVolume(api: Api, { name, region, owner }: Act<"deleteVolume">): Promise<void> {
  const look = (): Promise<Raw | typeof absent> => volumeAt(api, { name, region, owner });
  const found = await look();
  if (found === absent) return;
  const id = ownId(found, `volume ${name}`, owner);
  // A volume whose droplet has just been deleted stays attached for a moment.
  await settled(api, `the volume ${name} to be detached`, async () => {
    const now = await look();
    return now === absent || textsOf(now["droplet_ids"]).length === 0;
  });
  await remove(api, `volumes/${id}`, `delete the volume ${name}`);
  await gone(api, `volume ${name}`, async () => (await look()) === absent);
}

async function putFirewall(api: Api, act: Act<"createFirewall" | "changeFirewall">): Promise<void> {
  const { name, inbound, outbound, tags, owner } = act;
  await ensureTags(api, tags);
  const body = {
    name,
    inbound_rules: rulesOf(inbound, "sources"),
    outbound_rules: rulesOf(outbound, "destinations"),
    tags,
  };
  const what = `${act.act === "createFirewall" ? "create" : "change"} the firewall ${name}`;
  const now = await firewall(api, name);
  if (now === absent) await create(api, { path: "firewalls", body, what }, () => firewall(api, name));
  else {
    const id = ownId(now, `firewall ${name}`, owner);
    await ask(api, { method: "PUT", path: `firewalls/${id}`, body, what });
  }
  await settled(api, `the firewall ${name} to apply to its droplets`, async () => {
    const after = await firewall(api, name);
    return after !== absent && firewallOf(after).status === "succeeded";
  });
}

async function deleteFirewall(api: Api, { name, owner }: Act<"deleteFirewall">): Promise<void> {
  const found = await firewall(api, name);
  if (found === absent) return;
  await remove(api, `firewalls/${ownId(found, `firewall ${name}`, owner)}`, `delete the firewall ${name}`);
  await gone(api, `firewall ${name}`, async () => (await firewall(api, name)) === absent);
}

/**
 * Creates a resource, and waits until the API lists it. If the response is lost, the resource may exist: furrow looks
 * for it and does not create a second one.
 */
async function create(
  api: Api,
  { path, body, what }: Pick<Asked, "path" | "body" | "what">,
  find: () => Promise<Raw | typeof absent>,
): Promise<void> {
  await ask(api, { method: "POST", path, ...(body !== undefined && { body }), what });
  await settled(api, `the API to list the result of "${what}"`, async () => (await find()) !== absent);
}

/** Deletes a resource; one that is already gone counts as deleted. */
async function remove(api: Api, path: string, what: string): Promise<void> {
  const isGone = ({ status }: { status: number }): boolean => status === 404;
  try {
    await ask(api, { method: "DELETE", path, what }, isGone);
  } catch (error) {
    if (!isGone(error as { status: number })) throw error;
  }
}

function gone(api: Api, what: string, isGone: () => Promise<boolean>): Promise<void> {
  return settled(api, `the ${what} to disappear`, isGone);
}

async function settled(api: Api, waitsFor: string, isDone: () => Promise<boolean>): Promise<void> {
  await waitUntil(async () => ((await isDone()) ? { done: true } : { meanwhile: "not yet" }), {
    waitsFor,
    deadlineSeconds: 300,
    signal: api.signal,
    say: api.say,
    hint: "Check the resource in the control panel, then rerun",
  });
}
