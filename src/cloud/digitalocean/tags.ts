import { type Api, ask } from "./api.ts";

/** Creates tags, so that a firewall can select droplets by them before any droplet has them. */
export async function ensureTags(api: Api, names: readonly string[]): Promise<void> {
  for (const name of names) {
    // Creating an existing tag is harmless: the API repeats its first response, or says that the name is taken.
    const isThere = ({ status, message }: { status: number; message: string }): boolean =>
      status === 409 || (status === 422 && /already|taken|exist/i.test(message));
    try {
      await ask(api, { method: "POST", path: "tags", body: { name }, what: `create the tag ${name}` }, isThere);
    } catch (error) {
      if (!isThere(error as { status: number; message: string })) throw error;
    }
  }
}

/** Adds tags to a resource; other tags are kept. */
export async function addTags(
  api: Api,
  names: readonly string[],
  type: "droplet" | "volume",
  id: string,
): Promise<void> {
  await ensureTags(api, names);
  for (const name of names) {
    const body = { resources: [{ resource_id: id, resource_type: type }] };
    const path = `tags/${encodeURIComponent(name)}/resources`;
    await ask(api, { method: "POST", path, body, what: `tag the ${type} ${id} with ${name}` });
  }
}
