import type { Filter, Tag, TagSpecification, ResourceType } from "@aws-sdk/client-ec2";
import type { Ec2Marks } from "../../facts/cloud/ec2/index.ts";

/** The tag by which furrow knows what it has made. */
export const ownTag = "furrow";

/** A machine's SSH host key as its console told it. */
export const hostKeyTag = "furrow:host-key";

/** How many machines of a name there were, on a thing that outlives them. */
export function generationTag(name: string): string {
  return `furrow:generation:${name}`;
}

/** The value of a tag; empty where there is none. */
export function tagOf(tags: readonly Tag[] | undefined, key: string): string {
  return tags?.find(({ Key }) => Key === key)?.Value ?? "";
}

/** Whether a thing is furrow's, and the tags that are its user's. */
export function marksOf(tags: readonly Tag[] | undefined): Ec2Marks {
  const own = (tags ?? []).filter(({ Key = "" }) => Key !== "Name" && !/^(furrow(:|$)|aws:)/.test(Key));
  return {
    ours: tagOf(tags, ownTag) !== "",
    tags: Object.fromEntries(own.map(({ Key = "", Value = "" }) => [Key, Value])),
  };
}

/** All tags of a thing that furrow makes. */
export function ownTags(name: string, tags: Readonly<Record<string, string>>): Tag[] {
  return tagList({ ...tags, Name: name, [ownTag]: "1" });
}

/** Tags as EC2 takes them. */
export function tagList(tags: Readonly<Record<string, string>>): Tag[] {
  return Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
}

/** The same in a call that makes things: they have their tags from their first moment. */
export function tagging(tags: readonly Tag[], ...types: readonly ResourceType[]): TagSpecification[] {
  return types.map((ResourceType) => ({ ResourceType, Tags: [...tags] }));
}

/** A filter of a question. */
export function filter(Name: string, ...Values: readonly string[]): Filter {
  return { Name, Values: [...Values] };
}
