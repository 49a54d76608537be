import type { Ec2Act } from "../../facts/cloud/ec2/index.ts";
import { waitUntil } from "../wait.ts";
import { type Ec2, told } from "./client.ts";
import { itsInstance, ownInstance } from "./instance.ts";
import { rawGroup } from "./network/security-group.ts";
import { allOf } from "./pages.ts";
import { idOf } from "./placeholder.ts";
import { filter } from "./tags.ts";

/**
 * Changes attributes of a machine. The type and nested virtualization can be changed only while the machine is stopped.
 */
export async function alterInstance(ec2: Ec2, act: Extract<Ec2Act, { act: "alterInstance" }>): Promise<void> {
  const { name, type, nested, securityGroups, vpc, instanceProfile, terminationProtection, metadataHopLimit } = act;
  const { InstanceId: id = "" } = await ownInstance(ec2, name, act.id);
  const groups = await Promise.all(
    (securityGroups ?? []).map(async (group) => {
      const what = { name: `security group ${group}`, prefix: "sg" };
      return idOf(ec2, await rawGroup(ec2, group, vpc), { ...what, id: ({ GroupId }) => GroupId });
    }),
  );
  // This query comes first, because a rehearsal ends at the first query after a change.
  const association = instanceProfile === undefined ? undefined : await associationOf(ec2, name, id);
  const alter = async (change: object): Promise<void> => {
    const command = new ec2.sdk.ModifyInstanceAttributeCommand({ InstanceId: id, ...change });
    await told(ec2, `change ${name}`, ec2.client.send(command, ec2.http));
  };
  if (type !== undefined) await alter({ InstanceType: { Value: type } });
  if (nested !== undefined) {
    const command = new ec2.sdk.ModifyInstanceCpuOptionsCommand({
      InstanceId: id,
      NestedVirtualization: nested ? "enabled" : "disabled",
    });
    await told(ec2, `change the CPU options of ${name}`, ec2.client.send(command, ec2.http));
  }
  if (securityGroups !== undefined) await alter({ Groups: groups });
  if (terminationProtection !== undefined) await alter({ DisableApiTermination: { Value: terminationProtection } });
  if (metadataHopLimit !== undefined) {
    const hops = { InstanceId: id, HttpPutResponseHopLimit: metadataHopLimit };
    const command = new ec2.sdk.ModifyInstanceMetadataOptionsCommand(hops);
    await told(ec2, `change the metadata options of ${name}`, ec2.client.send(command, ec2.http));
  }
  if (instanceProfile !== undefined) await setProfile(ec2, name, { id, association, profile: instanceProfile });
}

/** The id of the association of a machine with its instance profile; undefined if it has none. */
async function associationOf(ec2: Ec2, name: string, id: string): Promise<string | undefined> {
  const input = { Filters: [filter("instance-id", id), filter("state", "associating", "associated")] };
  const doing = `look for the instance profile of ${name}`;
  const pages = ec2.sdk.paginateDescribeIamInstanceProfileAssociations;
  const found = await allOf(ec2, doing, pages, input, (page) => page.IamInstanceProfileAssociations);
  return found[0]?.AssociationId;
}

/** Sets or replaces a machine's instance profile. Returns once EC2 shows the new profile. */
async function setProfile(
  ec2: Ec2,
  name: string,
  { id, association: AssociationId, profile }: { id: string; association: string | undefined; profile: string },
): Promise<void> {
  const { sdk, client, http } = ec2;
  const IamInstanceProfile = { Name: profile };
  await told(
    ec2,
    `change the instance profile of ${name}`,
    AssociationId === undefined
      ? client.send(new sdk.AssociateIamInstanceProfileCommand({ InstanceId: id, IamInstanceProfile }), http)
      : client.send(new sdk.ReplaceIamInstanceProfileAssociationCommand({ AssociationId, IamInstanceProfile }), http),
  );
  await waitUntil(
    async () => {
      const { IamInstanceProfile: now } = await itsInstance(ec2, name, id);
      return now?.Arn?.endsWith(`/${profile}`) === true ? { done: true } : { meanwhile: "not yet" };
    },
    {
      waitsFor: `the instance profile of ${name} to change`,
      deadlineSeconds: 60,
      signal: ec2.signal,
      say: ec2.say,
      hint: "Rerun: EC2 may take a while to show changes",
    },
  );
}
