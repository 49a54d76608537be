import { absent, type Absent, refuse, type Refusal, z } from "../../src/authoring.ts";
import { type AzureGroup, azureOwnerTag, type AzureTags } from "../../src/facts/catalogue.ts";

const named = 'a name of letters, digits, dashes and underscores, like "harvester-1"';

/** An Azure location. */
export const location = () => z.string().regex(/^[a-z][a-z0-9]+$/, 'a location, like "westeurope"');

/** The params that the Azure tasks share. */
export const common = {
  /** The resource group. */
  group: () => resourceName().describe("Resource group, which azureResourceGroup creates; its location is used"),
  /** The owner on whose behalf furrow acts. */
  owner: () =>
    z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,60}$/, "a short name of letters, digits, dashes and underscores")
      .default("furrow")
      .describe("Owner, stored in the tag furrow; an object with the same name but without this tag is left alone"),
  /** The subscription. */
  subscription: () =>
    z.uuid({ error: "the UUID of a subscription" }).optional().describe("Default: AZURE_SUBSCRIPTION_ID"),
  /** The tags of an object. */
  tags: () =>
    z
      .record(
        z
          .string()
          .regex(
            /^(?!furrow($|-)|microsoft|azure|windows)[^<>%&\\?/]{1,512}$/i,
            "a name without <>%&\\?/, which does not begin with furrow, microsoft, azure or windows",
          ),
        z.string().max(256, "at most 256 characters"),
      )
      .refine(
        (tags) => new Set(Object.keys(tags).map((name) => name.toLowerCase())).size === Object.keys(tags).length,
        {
          message: "names that differ in more than case, because Azure ignores case",
        },
      )
      .default({})
      .describe("Tags that the object must have; other tags are left alone"),
  /** Whether the object exists. */
  state: () => z.enum(["present", "absent"]).default("present").describe("Whether the object exists"),
} as const;

/** A name that Azure accepts for all kinds of resources that furrow creates. */
export function resourceName() {
  return z.string({ error: named }).regex(/^[A-Za-z0-9]([A-Za-z0-9_-]{0,58}[A-Za-z0-9_])?$/, named);
}

/** Whether two names mean the same object: Azure ignores case in names. */
export function sameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** The tags of an object, with the owner's tag. A tag name that the object already has keeps its spelling. */
export function tagsWith(
  { owner, tags }: { readonly owner: string; readonly tags: AzureTags },
  now: { readonly tags: AzureTags } | Absent = absent,
): AzureTags {
  const known = now === absent ? [] : Object.keys(now.tags);
  const spelled = (name: string): string => known.find((one) => sameName(one, name)) ?? name;
  return Object.fromEntries(
    Object.entries({ ...tags, [azureOwnerTag]: owner }).map(([name, value]) => [spelled(name), value]),
  );
}

/** Whether an object has all these tags. */
export function hasTags(now: AzureTags, tags: AzureTags): boolean {
  return Object.entries(tags).every(([name, value]) => tagIn(now, name) === value);
}

function tagIn(tags: AzureTags, name: string): string | undefined {
  return Object.entries(tags).find(([one]) => sameName(one, name))?.[1];
}

/** Refuses to touch an object without the owner's tag; undefined if it has the tag, or if it does not exist. */
export function foreign(
  what: string,
  { name, owner }: { readonly name: string; readonly owner: string },
  now: { readonly tags: AzureTags } | Absent,
): Refusal | undefined {
  if (now === absent) return undefined;
  const tag = tagIn(now.tags, azureOwnerTag);
  if (tag === owner) return undefined;
  return refuse({
    code: "foreign",
    message: `the name ${name} belongs to another ${what}, which was not created for ${owner}: its tag ${azureOwnerTag} is ${tag ?? "missing"}`,
    hint: `Choose another name, or, if furrow may change and delete that ${what}, give it the tag ${azureOwnerTag}=${owner}`,
  });
}

/** Refuses a change that would require the object to be replaced; `lost` describes what would be lost. */
export function notInPlace(thing: string, part: string, from: string, to: string, lost: string): Refusal {
  return refuse({
    code: "not-in-place",
    message: `${thing} has ${part} ${from || "none"}, but ${to || "none"} is requested: it cannot be changed in place. Replacing it would lose ${lost}`,
    hint: `Keep ${part} ${from || "none"}, or remove it with state: "absent" and then rerun`,
  });
}

/** Refuses to create something in a resource group that does not exist. */
export function noGroup(name: string, group: AzureGroup | Absent): Refusal | undefined {
  if (group !== absent) return undefined;
  return refuse({
    code: "no-group",
    message: `there is no resource group ${name}`,
    hint: "Create it first with azureResourceGroup, or correct the name: az group list --output table",
  });
}
