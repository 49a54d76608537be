import type { SecurityGroup } from "@aws-sdk/client-ec2";
import { absent, type Absent } from "../../../core/facts/symbols.ts";
import type { Ec2Act, Ec2SecurityGroupState } from "../../../facts/cloud/ec2/index.ts";
import { waitUntil } from "../../wait.ts";
import { type Ec2, told } from "../client.ts";
import { codeOf } from "../failures.ts";
import { onlyOne } from "../one.ts";
import { describedInstances } from "../instance.ts";
import { ownId } from "../own.ts";
import { allOf } from "../pages.ts";
import { permissionOf, rulesOf } from "./rules.ts";
import { filter, marksOf, ownTags, tagging } from "../tags.ts";
import { vpcId, vpcIdIfThere } from "./vpc.ts";

/** The security group with the given name, in a given VPC if `vpc` is defined. */
export async function securityGroup(
  ec2: Ec2,
  name: string,
  vpc: string | undefined,
): Promise<Ec2SecurityGroupState | Absent> {
  const found = await rawGroup(ec2, name, vpc);
  if (found === absent) return absent;
  const { GroupId: id = "", VpcId = "", Description = "", IpPermissions = [], Tags } = found;
  return { id, vpc: VpcId, description: Description, rules: rulesOf(IpPermissions), ...marksOf(Tags) };
}

/** The security group with the given name as EC2 returns it, including furrow's own tags. */
export async function rawGroup(ec2: Ec2, name: string, vpc: string | undefined): Promise<SecurityGroup | Absent> {
  const inside = vpc === undefined ? undefined : await vpcIdIfThere(ec2, vpc);
  if (inside === absent) return absent;
  const Filters = [filter("group-name", name), ...(inside === undefined ? [] : [filter("vpc-id", inside)])];
  const doing = `look for the security group ${name}`;
  const pages = ec2.sdk.paginateDescribeSecurityGroups;
  const found = await allOf(ec2, doing, pages, { Filters }, ({ SecurityGroups }) => SecurityGroups);
  return onlyOne(found, `security group ${name}`, ({ GroupId = "", VpcId = "" }) => `${GroupId} (${VpcId})`);
}

/** A group as {@link ownId} identifies it. */
function called(name: string, seen: string | undefined) {
  return { name: `security group ${name}`, prefix: "sg", seen };
}

/**
 * Creates a group. If a killed run has already created it, that counts as success. Returns once EC2 shows the group.
 */
export async function createSecurityGroup(
  ec2: Ec2,
  act: Extract<Ec2Act, { act: "createSecurityGroup" }>,
): Promise<void> {
  const { name, vpc, description, tags } = act;
  const command = new ec2.sdk.CreateSecurityGroupCommand({
    GroupName: name,
    Description: description,
    ...(vpc !== undefined && { VpcId: await vpcId(ec2, vpc) }),
    TagSpecifications: tagging(ownTags(name, tags), "security-group"),
  });
  try {
    await told(ec2, `create the security group ${name}`, ec2.client.send(command, ec2.http));
  } catch (error) {
    if (codeOf(error) !== "InvalidGroup.Duplicate") throw error;
  }
  await shown(ec2, name, vpc, "to appear", (group) => group !== absent);
}

/** Adds the wanted rules first, and then removes the others. Returns once EC2 shows the result. */
export async function setRules(ec2: Ec2, act: Extract<Ec2Act, { act: "setRules" }>): Promise<void> {
  const { name, vpc, add, remove } = act;
  const group =
    ec2.dry === true
      ? await securityGroup(ec2, name, vpc)
      : await shown(ec2, name, vpc, "to appear", (now) => now !== absent);
  const id = ownId(ec2, group, called(name, act.id));
  const open = add.filter((rule) => group === absent || !group.rules.includes(rule));
  if (open.length > 0) {
    const command = new ec2.sdk.AuthorizeSecurityGroupIngressCommand({
      GroupId: id,
      IpPermissions: open.map(permissionOf),
    });
    await told(ec2, `add rules to the security group ${name}`, ec2.client.send(command, ec2.http));
  }
  if (remove.length > 0) {
    const command = new ec2.sdk.RevokeSecurityGroupIngressCommand({
      GroupId: id,
      IpPermissions: remove.map(permissionOf),
    });
    await told(ec2, `remove rules from the security group ${name}`, ec2.client.send(command, ec2.http));
  }
  await shown(
    ec2,
    name,
    vpc,
    "to show its rules",
    (now) =>
      now !== absent &&
      add.every((rule) => now.rules.includes(rule)) &&
      !remove.some((rule) => now.rules.includes(rule)),
  );
}

/** Deletes a group as soon as it is unused; the interfaces of a terminated machine may linger for a while. */
export async function deleteSecurityGroup(
  ec2: Ec2,
  { name, id, vpc }: Extract<Ec2Act, { act: "deleteSecurityGroup" }>,
): Promise<void> {
  const group = await securityGroup(ec2, name, vpc);
  if (group === absent) return;
  const GroupId = ownId(ec2, group, called(name, id));
  const command = new ec2.sdk.DeleteSecurityGroupCommand({ GroupId });
  const remove = async () => {
    try {
      await told(ec2, `delete the security group ${name}`, ec2.client.send(command, ec2.http));
    } catch (error) {
      const code = codeOf(error);
      if (code === "InvalidGroup.NotFound") return { done: true };
      if (code !== "DependencyViolation" || (await hasMachines(ec2, group.id))) throw error;
      return { meanwhile: "still in use" };
    }
    return { done: true };
  };
  const common = { deadlineSeconds: 90, signal: ec2.signal, say: ec2.say, hint: "Remove what still uses the group" };
  await waitUntil(remove, { ...common, waitsFor: `the security group ${name} to be free` });
  await shown(ec2, name, vpc, "to disappear", (now) => now === absent);
}

/** True if machines will stay in the group. Waiting would then not free the group. */
async function hasMachines(ec2: Ec2, id: string): Promise<boolean> {
  const states = filter("instance-state-name", "pending", "running", "stopping", "stopped");
  const input = { Filters: [filter("instance.group-id", id), states] };
  return (await describedInstances(ec2, "look for users of a security group", input)).length > 0;
}

/** Waits until EC2 shows a group in the expected state, because EC2 may be slow to show a new or changed group. */
function shown(
  ec2: Ec2,
  name: string,
  vpc: string | undefined,
  what: string,
  isRight: (group: Ec2SecurityGroupState | Absent) => boolean,
): Promise<Ec2SecurityGroupState | Absent> {
  return waitUntil(
    async () => {
      const group = await securityGroup(ec2, name, vpc);
      return isRight(group) ? { done: group } : { meanwhile: "not yet" };
    },
    {
      waitsFor: `the security group ${name} ${what}`,
      deadlineSeconds: 60,
      signal: ec2.signal,
      say: ec2.say,
      hint: "Rerun: EC2 may take a while to show changes",
    },
  );
}
