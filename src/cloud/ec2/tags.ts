import type { Filter, Tag, TagSpecification, ResourceType } from "@aws-sdk/client-ec2";
import type { Ec2Marks } from "../../facts/cloud/ec2/index.ts";

/** The tag that marks resources created by furrow. */
export const ownTag = "furrow";

/** The tag that contains a machine's SSH host key, as printed on its console. */
export const hostKeyTag = "furrow:host-key";

/** The tag that counts the terminated machines with a given name; it is set on a resource that outlives them. */
export function generationTag(name: string): string {
  return `furrow:generation:${name}`;
}

/** The value of a tag; empty if the tag does not exist. */
export function tagOf(tags: readonly Tag[] | undefined, key: string): string {
  return tags?.find(({ Key }) => Key === key)?.Value ?? "";
}

/** Splits a resource's tags into furrow's mark and the user's own tags. */
export function marksOf(tags: readonly Tag[] | undefined): Ec2Marks {
  const own = (tags ?? []).filter(({ Key = "" }) => Key !== "Name" && !/^(furrow(:|$)|aws:)/.test(Key));
  return {
    ours: tagOf(tags, ownTag) !== "",
    tags: Object.fromEntries(own.map(({ Key = "", Value = "" }) => [Key, Value])),
  };
}

/**
 * The name of the disks that are created with a machine. It differs from the machine's name, because another task may
 * manage a volume with that name.
 */
export function diskName(machine: string): string {
  return `${machine} disk`;
}

/** All tags for a resource that furrow creates. */
export function ownTags(name: string, tags: Readonly<Record<string, string>>): Tag[] {
  return tagList({ ...tags, Name: name, [ownTag]: "1" });
}

/** Converts tags to EC2's format. */
export function tagList(tags: Readonly<Record<string, string>>): Tag[] {
  return Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
}

/** Converts tags to the format of calls that create resources, so that the resources have their tags from the start. */
export function tagging(tags: readonly Tag[], ...types: readonly ResourceType[]): TagSpecification[] {
  return types.map((ResourceType) => ({ ResourceType, Tags: [...tags] }));
}

/** A filter for a Describe call. */
export function filter(Name: string, ...Values: readonly string[]): Filter {
  return { Name, Values: [...Values] };
}
