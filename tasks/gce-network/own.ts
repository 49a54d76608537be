import { absent, type Absent, refuse, type Refusal, z } from "../../src/authoring.ts";
import { gceOwner } from "../../src/facts/catalogue.ts";

/** Params that all tasks about Compute Engine share. */
export const shared = {
  /** Id of the project that things are in. */
  project: () =>
    z
      .string()
      .regex(/^([a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$/, 'the id of a project, like "harvester-lab-1234"')
      .describe("Id of the project; not its title or number"),
  /** Zone that things are in. */
  zone: () =>
    z
      .string()
      .regex(/^[a-z]+-[a-z]+\d+-[a-z]+$/, 'a zone, like "europe-west3-a"')
      .describe("Zone it is in"),
  /** Name of a thing of Compute Engine (RFC 1035, 63 characters). */
  name: (what: string) => resourceName().describe(what),
  /** Whom furrow makes things for. */
  owner: () =>
    z
      .string()
      .regex(/^[\w.-]{1,60}$/, "a short name of letters, digits, points and dashes")
      .default("furrow")
      .describe("Whom it is for: said in its description; what has the name and another description is left alone"),
  /** Labels of a thing. */
  labels: () =>
    z
      .record(
        z.string().regex(/^[a-z][a-z0-9_-]{0,62}$/, "a label of small letters, digits, _ and -"),
        z.string().regex(/^[a-z0-9_-]{0,63}$/, "a label's value of small letters, digits, _ and -"),
      )
      .default({})
      .describe("Labels it has; others that it has are left alone"),
} as const;

/** A check that a param is given unless the thing shall be absent, for `.refine`; with its message and place. */
export function needed<K extends string>(param: K, what: string): Needed<K> {
  const check: Needed<K>[0] = (p) => p.state === "absent" || p[param] !== undefined;
  return [check, { message: `${what}, unless it shall be absent`, path: [param] }];
}

type Needed<K extends string> = [
  check: (p: { readonly state: string } & { readonly [N in K]?: unknown }) => boolean,
  failure: { message: string; path: PropertyKey[] },
];

/** A name that Compute Engine takes. */
export function resourceName() {
  return z
    .string()
    .regex(/^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/, 'a name of small letters, digits and dashes, like "harvester-1"');
}

/** Refuses to touch what has the name and was made by somebody else; undefined where it is furrow's, or not there. */
export function foreign(
  what: string,
  { name, owner }: { readonly name: string; readonly owner: string },
  now: { readonly description: string } | Absent,
): Refusal | undefined {
  if (now === absent || now.description === gceOwner(owner)) return undefined;
  return refuse({
    code: "foreign",
    message: `the name ${name} belongs to another ${what}, which was not made for ${owner}: its description is "${now.description}"`,
    hint: "Choose another name, or give the owner that its description names",
  });
}

/** Refuses what only a new thing can have: `lost` is what would go with the old one. */
export function notInPlace(thing: string, part: string, from: string, to: string, lost: string): Refusal {
  return refuse({
    code: "not-in-place",
    message: `${thing} has ${part} ${from}, and shall have ${to}: that cannot be changed in place. Replacing it would lose ${lost}`,
    hint: `Keep ${part} ${from}, or remove it with state: "absent" and run this again`,
  });
}
