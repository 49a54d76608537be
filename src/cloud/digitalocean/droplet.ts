import { FurrowError } from "../../core/errors.ts";
import { absent } from "../../core/facts/symbols.ts";
import { type DigitalOceanAct, digitalOceanOwner } from "../../facts/cloud/digitalocean/index.ts";
import { waitUntil } from "../wait.ts";
import { type Api, ask } from "./api.ts";
import { DigitalOceanError, failureOf } from "./errors.ts";
import { ownId } from "./own.ts";
import { droplet, keyWith, volume } from "./read.ts";
import { addTags } from "./tags.ts";
import { addressesOf, type Raw, textOf, textsOf } from "./views.ts";

type Act<K extends DigitalOceanAct["act"]> = Extract<DigitalOceanAct, { readonly act: K }>;

/** The time limit in seconds for a droplet to boot, to change its size, or to be deleted. */
const deadlineSeconds = 900;

/** How long furrow looks for a droplet whose creation request got no response, in seconds. */
const lostSeconds = 60;

/**
 * Creates a droplet, and waits until it runs and has an address. The API has neither unique names nor request tokens: a
 * droplet with this name and the owner's tag is assumed to come from an earlier request whose response was lost.
 */
export async function createDroplet(api: Api, act: Act<"createDroplet">): Promise<void> {
  const { name, region, size, image, tags, vpc, owner } = act;
  const what = `create the droplet ${name} in ${region}`;
  const now = await droplet(api, name);
  if (now === absent) {
    const [keys, volumes] = await Promise.all([
      Promise.all(act.publicKeys.map((key) => keyId(api, key))),
      Promise.all(act.volumes.map((one) => volumeId(api, one, region, owner))),
    ]);
    const body = {
      name,
      region,
      size,
      image: /^\d+$/.test(image) ? Number(image) : image,
      ssh_keys: keys,
      volumes,
      tags,
      ...(vpc !== undefined && { vpc_uuid: vpc }),
    };
    try {
      const asked = { method: "POST", path: "droplets", body, what } as const;
      await ask(api, asked, ({ status }) => status === 0 || status >= 500);
    } catch (error) {
      if (!(error instanceof DigitalOceanError)) throw error;
      await findLost(api, name, what, error);
    }
  } else ownId(now, `droplet ${name}`, owner);
  await awaitDroplet(api, act);
}

/** Looks for a droplet whose creation request got no response. Throws `failure` if the droplet does not appear. */
async function findLost(api: Api, name: string, what: string, failure: DigitalOceanError): Promise<void> {
  api.say?.(`the response to "${what}" was lost: looking for the droplet`);
  const started = performance.now();
  await waitUntil(
    async () => {
      if ((await droplet(api, name)) !== absent) return { done: true };
      if (performance.now() - started > lostSeconds * 1000) throw failureOf(what, failure);
      return { meanwhile: "not listed" };
    },
    {
      waitsFor: `the droplet ${name} to be listed`,
      deadlineSeconds: lostSeconds * 2,
      signal: api.signal,
      hint: "Rerun: the next run looks for the droplet again",
    },
  );
}

async function keyId(api: Api, publicKey: string): Promise<number> {
  const found = await keyWith(api, publicKey);
  if (found !== absent) return Number(found["id"]);
  throw missing("the SSH key of the new droplet", "Rerun: the next run registers the key again");
}

async function volumeId(api: Api, name: string, region: string, owner: string): Promise<string> {
  return ownId(await volume(api, name, region), `volume ${name}`, owner);
}

function missing(what: string, hint: string): FurrowError {
  return new FurrowError("E_DRIVER", { what: `${what} no longer exists at DigitalOcean`, hint });
}

/** Waits until a droplet runs, has an address, and has the owner's tag. */
export async function awaitDroplet(api: Api, { name, owner }: Pick<DigitalOceanAct, "name" | "owner">): Promise<void> {
  await until(api, `the droplet ${name} to run`, async () => {
    const now = await droplet(api, name);
    if (now === absent) return "not listed";
    // Tags are added after the creation.
    if (!textsOf(now["tags"]).includes(digitalOceanOwner(owner))) return "its tags are missing";
    const { address, privateAddress } = addressesOf(now);
    const isThere = now["status"] === "active" && address !== "" && privateAddress !== "";
    return isThere ? undefined : `${textOf(now["status"])}, address ${address || "none yet"}`;
  });
}

/** Attaches a volume to a droplet. */
export async function attachVolume(api: Api, act: Act<"attachVolume">): Promise<void> {
  const { name, region, volume: wanted, owner } = act;
  const dropletId = ownId(await droplet(api, name), `droplet ${name}`, owner);
  const id = await volumeId(api, wanted, region, owner);
  const body = { type: "attach", droplet_id: Number(dropletId), region };
  const what = `attach the volume ${wanted} to the droplet ${name}`;
  await ask(api, { method: "POST", path: `volumes/${id}/actions`, body, what });
  await until(api, `the volume ${wanted} to be attached`, async () => {
    const now = await volume(api, wanted, region);
    return now !== absent && textsOf(now["droplet_ids"]).includes(dropletId) ? undefined : "not attached";
  });
}

/** Adds tags to a droplet. */
export async function tagDroplet(api: Api, { name, tags, owner }: Act<"tagDroplet">): Promise<void> {
  await addTags(api, tags, "droplet", ownId(await droplet(api, name), `droplet ${name}`, owner));
}

/**
 * Starts a droplet that is off, or changes its size without growing its disk, because a disk cannot be shrunk again.
 */
export async function dropletAct(api: Api, act: Act<"startDroplet" | "resizeDroplet">): Promise<void> {
  const { name, owner } = act;
  const id = ownId(await droplet(api, name), `droplet ${name}`, owner);
  const isStart = act.act === "startDroplet";
  const body = isStart ? { type: "power_on" } : { type: "resize", disk: false, size: act.size };
  const what = isStart ? `start the droplet ${name}` : `resize the droplet ${name} to ${act.size}`;
  await ask(api, { method: "POST", path: `droplets/${id}/actions`, body, what });
  if (isStart) return awaitDroplet(api, act);
  const isWanted = (now: Raw): boolean => now["size_slug"] === act.size && now["locked"] !== true;
  await until(api, `the droplet ${name} to have the size ${act.size}`, async () => {
    const now = await droplet(api, name);
    return now !== absent && isWanted(now) ? undefined : "not yet";
  });
}

/** Deletes a droplet with its own disk; its volumes are kept. */
export async function deleteDroplet(api: Api, { name, owner }: Act<"deleteDroplet">): Promise<void> {
  const found = await droplet(api, name);
  if (found === absent) return;
  const id = ownId(found, `droplet ${name}`, owner);
  const isGone = ({ status }: { status: number }): boolean => status === 404;
  try {
    await ask(api, { method: "DELETE", path: `droplets/${id}`, what: `delete the droplet ${name}` }, isGone);
  } catch (error) {
    if (!isGone(error as { status: number })) throw error;
  }
  await until(api, `the droplet ${name} to disappear`, async () =>
    (await droplet(api, name)) === absent ? undefined : "still listed",
  );
}

/** Waits until `look` returns undefined. Until then, `look` returns a description of the current state. */
async function until(api: Api, waitsFor: string, look: () => Promise<string | undefined>): Promise<void> {
  await waitUntil(
    async () => {
      const meanwhile = await look();
      return meanwhile === undefined ? { done: true } : { meanwhile };
    },
    { waitsFor, deadlineSeconds, signal: api.signal, say: api.say, hint: "Check it in the control panel, then rerun" },
  );
}
