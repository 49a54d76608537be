import { absent, type Absent, refuse, type Refusal, z } from "../../src/authoring.ts";
import { gceOwner } from "../../src/facts/catalogue.ts";

/** The params of all Compute Engine tasks. */
export const shared = {
  /** The id of the project. */
  project: () =>
    z
      .string()
      .regex(/^([a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$/, 'the id of a project, like "harvester-lab-1234"')
      .describe("Id of the project; not its name or number"),
  /** The zone. */
  zone: () =>
    z
      .string()
      .regex(/^[a-z]+-[a-z]+\d+-[a-z]+$/, 'a zone, like "europe-west3-a"')
      .describe("Zone"),
  /** The region. */
  region: (what: string) =>
    z
      .string()
      .regex(/^[a-z]+-[a-z]+\d+$/, 'a region, like "europe-west3"')
      .describe(what),
  /** The name of an object in Compute Engine (RFC 1035, up to 63 characters). */
  name: (what: string) => resourceName().describe(what),
  /** The owner on whose behalf furrow acts. */
  owner: () =>
    z
      .string()
      .regex(/^[\w.-]{1,60}$/, "a short name of letters, digits, dots and dashes")
      .default("furrow")
      .describe(
        "Owner, stored in the object's description; an object with the same name but another description is left alone",
      ),
  /** The labels of an object. */
  labels: () =>
    z
      .record(
        z.string().regex(/^[a-z][a-z0-9_-]{0,62}$/, "a label of lower-case letters, digits, _ and -"),
        z.string().regex(/^[a-z0-9_-]{0,63}$/, "a label value of lower-case letters, digits, _ and -"),
      )
      .default({})
      .describe("Labels that the object must have; other labels are left alone"),
} as const;

/**
 * Returns the arguments for `.refine` (check, message and path) that make a param required unless the state is absent.
 */
export function needed<K extends string>(param: K, what: string): Needed<K> {
  const check: Needed<K>[0] = (p) => p.state === "absent" || p[param] !== undefined;
  return [check, { message: `${what}, unless the state is absent`, path: [param] }];
}

type Needed<K extends string> = [
  check: (p: { readonly state: string } & { readonly [N in K]?: unknown }) => boolean,
  failure: { message: string; path: PropertyKey[] },
];

/** A name that Compute Engine accepts. */
export function resourceName() {
  return z
    .string()
    .regex(/^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/, 'a name of lower-case letters, digits and dashes, like "harvester-1"');
}

/**
 * Refuses to touch an object that furrow did not create for this owner; undefined if it did, or if the object does not
 * exist.
 */
export function foreign(
  what: string,
  { name, owner }: { readonly name: string; readonly owner: string },
  now: { readonly description: string } | Absent,
): Refusal | undefined {
  if (now === absent || now.description === gceOwner(owner)) return undefined;
  return refuse({
    code: "foreign",
    message: `the name ${name} belongs to another ${what}, which was not created for ${owner}: its description is "${now.description}"`,
    hint: "Choose another name, or set owner to the owner named in that description",
  });
}

/** Refuses a change that would require the object to be replaced; `lost` describes what would be lost. */
export function notInPlace(thing: string, part: string, from: string, to: string, lost: string): Refusal {
  return refuse({
    code: "not-in-place",
    message: `${thing} has ${part} ${from}, but ${to} is requested: it cannot be changed in place. Replacing it would lose ${lost}`,
    hint: `Keep ${part} ${from}, or remove it with state: "absent" and then rerun`,
  });
}
