import { absent, type Absent, refuse, type Refusal, secretText, z } from "../../src/authoring.ts";
import { digitalOceanOwner, type NameSet } from "../../src/facts/catalogue.ts";

/** The params of all DigitalOcean tasks. */
export const common = {
  /** The region. */
  region: () => z.string({ error: 'a region, like "fra1"' }).regex(/^[a-z]{3}\d+$/, 'a region, like "fra1"'),
  /** The owner on whose behalf furrow acts. */
  owner: () =>
    z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,60}$/, "a short name of letters, digits, dashes and underscores")
      .default("furrow")
      .describe(
        "Owner, stored in the tag furrow:OWNER; an object with the same name but without this tag is left alone",
      ),
  /** The API token. */
  token: () => secretText().optional().describe("API token, a secret; default: from DIGITALOCEAN_ACCESS_TOKEN"),
  /** The tags of an object. */
  tags: () => z.array(tagName()).default([]).describe("Tags that the object must have; other tags are left alone"),
} as const;

/** A tag that DigitalOcean accepts. */
export function tagName() {
  return z
    .string()
    .regex(/^[A-Za-z0-9:_-]{1,255}$/, 'a tag of letters, digits, colons, dashes and underscores, like "web"');
}

/** A name that DigitalOcean accepts for volumes; its rules for other names are less strict. */
export function resourceName() {
  return z
    .string({ error: 'a name of lower-case letters, digits and dashes, like "harvester-1"' })
    .regex(/^[a-z]([a-z0-9-]{0,62}[a-z0-9])?$/, 'a name of lower-case letters, digits and dashes, like "harvester-1"');
}

/** The tags of an object, with the owner's tag, sorted and without duplicates. */
export function tagsWith(owner: string, tags: readonly string[]): string[] {
  return [...new Set([...tags, digitalOceanOwner(owner)])].toSorted();
}

/** Converts a list of names to a set in the form that the facts use. */
export function setOf(names: readonly string[]): NameSet {
  return Object.fromEntries(names.toSorted().map((name) => [name, true as const]));
}

/** The wanted tags that an object does not have. */
export function lacking(tags: readonly string[], now: NameSet): string[] {
  return tags.filter((tag) => now[tag] !== true);
}

/** Refuses to touch an object without the owner's tag; undefined if it has the tag, or if it does not exist. */
export function foreign(
  what: string,
  { name, owner }: { readonly name: string; readonly owner: string },
  now: { readonly id: string; readonly tags: NameSet | readonly string[] } | Absent,
): Refusal | undefined {
  if (now === absent) return undefined;
  const { tags } = now;
  const names = Array.isArray(tags) ? (tags as readonly string[]) : Object.keys(tags);
  const tag = digitalOceanOwner(owner);
  if (names.includes(tag)) return undefined;
  return refuse({
    code: "foreign",
    message: `the name ${name} belongs to another ${what} (${now.id}), which was not created for ${owner}: it does not have the tag ${tag}`,
    hint: `Choose another name, or, if furrow may change and delete that ${what}, give it the tag`,
  });
}

/**
 * Refuses a change that would require the object to be replaced; `lost` is what would be deleted with the old object.
 */
export function notInPlace(thing: string, part: string, from: string, to: string, lost: string): Refusal {
  return refuse({
    code: "not-in-place",
    message: `${thing} has ${part} ${from}, but ${to} is requested: it cannot be changed in place. Replacing it would lose ${lost}`,
    hint: `Keep ${part} ${from}, or remove it with state: "absent" and then rerun`,
  });
}
