import { absent } from "../../core/facts/symbols.ts";
import type { Ec2Launch } from "../../facts/cloud/ec2/index.ts";
import { type Ec2, told } from "./client.ts";
import { rawGroup } from "./network/security-group.ts";
import { generationTag, ownTag, tagList, tagOf } from "./tags.ts";

/**
 * Reads how many machines with a given name are known to be terminated. The number is stored as a tag on a security
 * group (the first of the machines' groups that furrow created), because the group outlives the machines. The number
 * only serves to skip tokens that are used up.
 */
export async function readGeneration(ec2: Ec2, name: string, asked: Ec2Launch): Promise<number> {
  return (await keeperOf(ec2, name, asked))?.generation ?? 0;
}

/** Saves the generation of a launched machine. */
export async function keepGeneration(ec2: Ec2, name: string, asked: Ec2Launch, generation: number): Promise<void> {
  const keeper = await keeperOf(ec2, name, asked);
  if (keeper === undefined) return;
  const command = new ec2.sdk.CreateTagsCommand({
    Resources: [keeper.id],
    Tags: tagList({ [generationTag(name)]: String(generation) }),
  });
  await told(ec2, `save the generation of ${name}`, ec2.client.send(command, ec2.http));
}

async function keeperOf(
  ec2: Ec2,
  name: string,
  { securityGroups, vpc }: Ec2Launch,
): Promise<{ readonly id: string; readonly generation: number } | undefined> {
  for (const group of securityGroups) {
    const found = await rawGroup(ec2, group, vpc);
    if (found === absent || tagOf(found.Tags, ownTag) === "") continue;
    return { id: found.GroupId ?? "", generation: Number(tagOf(found.Tags, generationTag(name))) || 0 };
  }
  return undefined;
}
