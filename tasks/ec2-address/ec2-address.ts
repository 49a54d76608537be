import { absent, type Absent, knownAfterApply, peek, refuse, type Refusal, task, z } from "../../src/authoring.ts";
import {
  ec2AddressQuota,
  type Ec2AddressState,
  ec2AddressState,
  ec2Call,
  type Ec2InstanceState,
  ec2InstanceState,
} from "../../src/facts/catalogue.ts";
import { holderFact, refuseInUse, userFact, type Users } from "../ec2-instance/in-use.ts";
import { ec2Name, ec2Tags, region } from "../ec2-instance/params.ts";
import { noteQuota, refuseQuota } from "../ec2-instance/quota.ts";
import { refuseForeign } from "../ec2-instance/launch.ts";
import { seenIn } from "../ec2-instance/seen.ts";

const params = z.strictObject({
  name: ec2Name("an address").describe("Value of the address's Name tag, by which furrow finds it"),
  region: region(),
  instance: ec2Name("a machine")
    .optional()
    .describe("Name of the machine that the address is associated with; default: none"),
  tags: ec2Tags(),
  state: z
    .enum(["present", "absent"])
    .default("present")
    .describe(
      "Whether the address is allocated to the account; a released address soon goes to another AWS customer, so one in use is not released",
    ),
});

/** True if an address is already associated with the wanted machine. */
function isRight(address: Ec2AddressState, instance: Ec2InstanceState | Absent | undefined): boolean {
  return address.associated && address.instance === seenIn(instance);
}

/** True if an address is associated with something other than the wanted machine; false if that is not known yet. */
function isElsewhere(address: Ec2AddressState, instance: Ec2InstanceState | Absent | undefined): boolean {
  if (!address.associated || isRight(address, instance)) return false;
  return instance === undefined || instance === absent || seenIn(instance) !== undefined;
}

/** Refuses to release an address that is in use, or to take one from something that furrow did not launch. */
function refuseTaking(p: z.output<typeof params>, address: Ec2AddressState, users: Users): Refusal | undefined {
  const title = `the address ${p.name} (${address.id})`;
  if (address.instance === "") {
    return refuse({
      code: "in-use",
      message: `${title} is in use by something other than a machine, such as a NAT gateway`,
      hint: "Remove whatever uses it first, or choose another name",
    });
  }
  return refuseInUse(users, {
    title,
    id: address.instance,
    fromOwn: p.state === "present",
    hint: "Remove the machine first, or disassociate the address from it",
  });
}

/** Keeps a public address allocated. The address stays the same when machines are replaced. */
export const ec2Address = task({
  name: "ec2Address",
  summary: "Keep an elastic IP address in Amazon EC2, associated with a machine or unassociated",
  params,
  service: "ec2",
  examples: [
    { name: "harvester", instance: "harvester" },
    { name: "harvester", state: "absent" },
  ],
  title: (p) => `ec2Address ${p.name}`,
  disturbs: () => [],
})
  .facts((p) => ({
    address: ec2AddressState(p),
    ...(p.instance !== undefined &&
      p.state === "present" && {
        instance: ec2InstanceState({ region: p.region, name: p.instance }),
      }),
  }))
  .facts((p, { address, instance }) => ({
    ...(p.state === "present" && address === absent && { quota: ec2AddressQuota(p) }),
    ...holderFact(p.region, address !== absent && isElsewhere(address, instance) ? address.instance : undefined),
  }))
  .facts((p, { holder }) => userFact(p.region, holder))
  .want((p, { address, instance, quota, ...users }) => {
    if (address !== absent && !address.ours) return refuseForeign(p.name, address.id);
    const used = address !== absent && isElsewhere(address, instance) ? refuseTaking(p, address, users) : undefined;
    if (used) return used;
    if (p.state === "absent") return { address: absent };
    if (instance === absent) {
      return refuse({
        code: "no-instance",
        message: `there is no machine ${p.instance} to associate the address with`,
        hint: "Add an ec2Instance task before this one, or correct the name",
      });
    }
    const full = refuseQuota(quota, "address");
    if (full) return full;
    // The wanted machine's id matters only if the address is already associated with a machine.
    const isLeading = address !== absent && address.associated;
    const target = instance === undefined ? "" : isLeading ? instance.id : peek(instance, "id");
    return {
      address: {
        tags: p.tags,
        ours: true,
        associated: instance !== undefined,
        instance: target,
        ...(address === absent && { id: knownAfterApply, address: knownAfterApply }),
      },
    };
  })
  .steps((p, { change, now: { address, instance } }) => {
    if (change.address === undefined) return [];
    const { region: where, name, tags } = p;
    const place = { region: where, name };
    const id = seenIn(address);
    if (p.state === "absent") return [ec2Call({ act: "releaseAddress", ...place, id }, `release ${name}`)];
    const target = p.instance;
    const leads = address !== absent && isRight(address, instance);
    const disassociate =
      address !== absent &&
      address.associated &&
      ec2Call({ act: "disassociateAddress", ...place, id, instanceId: address.instance }, `free ${name}`);
    return [
      address === absent && ec2Call({ act: "allocateAddress", ...place, tags }, `allocate ${name}`),
      address !== absent &&
        Object.entries(tags).some(([key, value]) => address.tags[key] !== value) &&
        ec2Call({ act: "setTags", region: where, id: address.id, tags }, `tag ${name}`),
      target === undefined
        ? disassociate
        : !leads &&
          ec2Call(
            { act: "associateAddress", ...place, id, instance: target, instanceId: seenIn(instance) },
            `associate ${name} with ${target}`,
          ),
    ];
  })
  .notes((_p, { quota }) => noteQuota(quota, "address"))
  .outputs((p, { address, instance }) => ({
    address: address === absent ? "" : address.address,
    /** The machine behind the address, for a play's hosts or for `nested()`. */
    host: {
      name: p.instance ?? p.name,
      address: address === absent ? "" : address.address,
      ...(instance !== undefined &&
        instance !== absent &&
        instance.hostKeys.length > 0 && { hostKeys: instance.hostKeys }),
    },
  }));
