/** A JSON object of the API. */
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

/** A value as a list of texts; empty for anything else. */
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

/** The resource group in an id; empty for no id. Azure may write it in other letters than it was created with. */
export function groupIn(id: unknown): string {
  return /\/resourceGroups\/([^/]+)\//i.exec(textOf(id))?.[1] ?? "";
}

/** A location as ids contain it: `westeurope` for `West Europe`. */
export function locationIn(text: unknown): string {
  return textOf(text).replaceAll(" ", "").toLowerCase();
}
