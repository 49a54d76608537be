import type { Ec2Quota } from "../../../facts/cloud/ec2/index.ts";
import { type Ec2, told } from "../client.ts";
import { describedInstances } from "../instance.ts";
import { describedVpcs } from "../network/vpc.ts";
import { listIn } from "../pages.ts";
import { describedType } from "../region/machine-type.ts";
import { filter } from "../tags.ts";
import { ifAllowed } from "../region/zones.ts";
import { serviceQuota } from "./service-quotas.ts";

/** A quota that cannot be read, and the reason. */
function unknown(why: string): Ec2Quota {
  return { known: false, name: "", used: 0, needed: 0, most: 0, why };
}

/** The result if the credentials do not permit a call to EC2. */
const denied = unknown("the credentials do not allow furrow to read it");

/**
 * The quota for elastic IP addresses: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AccountAttribute.html
 */
export function addressQuota(ec2: Ec2): Promise<Ec2Quota> {
  const attributes = new ec2.sdk.DescribeAccountAttributesCommand({ AttributeNames: ["vpc-max-elastic-ips" as never] });
  const addresses = new ec2.sdk.DescribeAddressesCommand({});
  return ifAllowed(async () => {
    const doing = "read the quota for elastic IP addresses";
    const { AccountAttributes = [] } = await told(ec2, doing, ec2.client.send(attributes, ec2.http));
    const most = Number(AccountAttributes[0]?.AttributeValues?.[0]?.AttributeValue);
    if (!Number.isInteger(most)) return unknown("EC2 does not report vpc-max-elastic-ips");
    const { Addresses } = await told(ec2, doing, ec2.client.send(addresses, ec2.http));
    // Addresses from the customer's own pools do not count.
    const used = listIn(Addresses, doing).filter(({ PublicIpv4Pool = "amazon" }) => PublicIpv4Pool === "amazon").length;
    return { known: true, name: "EC2-VPC Elastic IPs", used, needed: 1, most };
  }, denied);
}

/** The quota for VPCs in one region. */
export function vpcQuota(ec2: Ec2): Promise<Ec2Quota> {
  return ifAllowed(async () => {
    const quota = await serviceQuota(ec2, "vpc", "L-F678F1CE");
    if (typeof quota === "string") return unknown(quota);
    const used = (await describedVpcs(ec2, "count the VPCs", [])).length;
    return { known: true, ...quota, used, needed: 1 };
  }, denied);
}

/**
 * The families of machine types that share a quota, and the codes of that quota for on-demand and for spot machines.
 */
const families: readonly (readonly [types: RegExp, onDemand: string, spot: string])[] = [
  [/^(a|c|d|h|i|im|is|m|mac|r|t|z)\d/, "L-1216C47A", "L-34B43A08"],
  [/^(g|vt)\w*\d/, "L-DB2E81BA", "L-3819A6DF"],
  [/^p\d/, "L-417A185B", "L-7212CCBC"],
];

/** The quota that limits the virtual processors of running machines of the given type; several types share it. */
export function processorQuota(ec2: Ec2, type: string, spot: boolean): Promise<Ec2Quota> {
  const family = families.find(([types]) => types.test(type) && !type.startsWith("mac"));
  if (family === undefined) return Promise.resolve(unknown(`furrow does not know the quota of the type ${type}`));
  const [types, onDemand, forSpot] = family;
  return ifAllowed(async () => {
    const quota = await serviceQuota(ec2, "ec2", spot ? forSpot : onDemand);
    if (typeof quota === "string") return unknown(quota);
    const described = await describedType(ec2, type);
    if (described === undefined) return unknown(`the region has no type ${type}`);
    const needed = described.VCpuInfo?.DefaultVCpus ?? 0;
    const input = { Filters: [filter("instance-state-name", "pending", "running")] };
    const running = await describedInstances(ec2, "read the quota for processors", input);
    const used = running
      .filter(
        ({ InstanceType = "", InstanceLifecycle }) =>
          types.test(InstanceType) && (InstanceLifecycle === "spot") === spot,
      )
      .reduce((sum, { CpuOptions }) => sum + (CpuOptions?.CoreCount ?? 0) * (CpuOptions?.ThreadsPerCore ?? 0), 0);
    return { known: true, ...quota, used, needed };
  }, denied);
}
