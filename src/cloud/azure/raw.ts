/** A JSON object from the API. */
export type Raw = Readonly<Record<string, unknown>>;

/** A value as text; empty if it is neither text nor a number. */
export function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** A value as an object; empty for anything else. */
export function objectOf(value: unknown): Raw {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Raw) : {};
}

/** A value as a list of objects; empty for anything else. */
export function objectsOf(value: unknown): readonly Raw[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

/** A value as a list of strings; empty for anything else. */
export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(textOf) : [];
}

/** The `properties` of a resource. */
export function propertiesOf(raw: Raw): Raw {
  return objectOf(raw["properties"]);
}

/** The last part of a resource's id, which is its name; empty for no id. */
export function nameIn(id: unknown): string {
  return textOf(id).split("/").at(-1) ?? "";
}

/** The resource group in an id; empty for no id. The name in an id may differ in case from the group's own name. */
export function groupIn(id: unknown): string {
  return /\/resourceGroups\/([^/]+)\//i.exec(textOf(id))?.[1] ?? "";
}

/** A location as ids contain it: `westeurope` for `West Europe`. */
export function locationIn(text: unknown): string {
  return textOf(text).replaceAll(" ", "").toLowerCase();
}

/** Whether two names or ids refer to one resource. Azure ignores their case. */
export function sameId(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Adds tags to existing ones; tags that already exist keep the spelling of their names. */
export function withTags(now: unknown, tags: Readonly<Record<string, string>>): Raw {
  const merged: Record<string, unknown> = { ...objectOf(now) };
  for (const [name, value] of Object.entries(tags)) {
    const known = Object.keys(merged).find((one) => sameId(one, name));
    merged[known ?? name] = value;
  }
  return merged;
}

/**
 * The name of a resource that another one refers to; empty for none. A name is unique only in its group, so the group
 * and the subscription are included if they differ from those of the other resource: `group/name`.
 */
export function nameFrom(id: unknown, from: Raw): string {
  const [subscription, group, name] = placeIn(id);
  const [ownSubscription, ownGroup] = placeIn(from["id"]);
  if (name === "") return "";
  if (!sameId(subscription, ownSubscription)) return `${subscription}/${group}/${name}`;
  return sameId(group, ownGroup) ? name : `${group}/${name}`;
}

function placeIn(id: unknown): readonly [subscription: string, group: string, name: string] {
  const text = textOf(id);
  const [, subscription = "", group = ""] = /^\/subscriptions\/([^/]+)\/resourceGroups\/([^/]+)\//i.exec(text) ?? [];
  return [subscription, group, nameIn(text)];
}

/** The value of a tag; undefined if the tag does not exist. */
export function tagIn(tags: unknown, name: string): unknown {
  return Object.entries(objectOf(tags)).find(([one]) => sameId(one, name))?.[1];
}
