import type { InstanceTypeInfo } from "@aws-sdk/client-ec2";
import type { Ec2MachineType } from "../../../facts/cloud/ec2/index.ts";
import { type Ec2, told } from "../client.ts";
import { codeOf } from "../failures.ts";
import { allOf } from "../pages.ts";
import { filter } from "../tags.ts";

/** The CPU feature that lets a machine run nested virtual machines. */
const nestedFeature = "nested-virtualization";

/**
 * EC2's answers by region and type, for each run; a run is identified by its signal. A type does not change during a
 * run, and several facts need its description.
 */
const answers = new WeakMap<AbortSignal, Map<string, Promise<InstanceTypeInfo | undefined>>>();

/** EC2's description of a machine type. Undefined if the region does not have it. Throws FurrowError E_DRIVER. */
export async function describedType(ec2: Ec2, type: string): Promise<InstanceTypeInfo | undefined> {
  const known = answers.get(ec2.signal) ?? new Map<string, Promise<InstanceTypeInfo | undefined>>();
  answers.set(ec2.signal, known);
  const key = `${ec2.region ?? ""} ${type}`;
  const answer = known.get(key) ?? describe(ec2, type);
  known.set(key, answer);
  try {
    return await answer;
  } catch (error) {
    known.delete(key);
    throw error;
  }
}

async function describe(ec2: Ec2, type: string): Promise<InstanceTypeInfo | undefined> {
  const command = new ec2.sdk.DescribeInstanceTypesCommand({ InstanceTypes: [type as never] });
  try {
    const { InstanceTypes = [] } = await told(
      ec2,
      `read the properties of the type ${type}`,
      ec2.client.send(command, ec2.http),
    );
    return InstanceTypes[0];
  } catch (error) {
    if (codeOf(error) === "InvalidInstanceType") return undefined;
    throw error;
  }
}

/**
 * The properties of a machine type. If nested virtualization is requested and the type does not support it, the answer
 * also lists the types that do.
 */
export async function machineType(ec2: Ec2, type: string, nested: boolean): Promise<Ec2MachineType> {
  const found = await describedType(ec2, type);
  const bareMetal = found?.BareMetal === true;
  const features = found?.ProcessorInfo?.SupportedFeatures ?? [];
  const nests = !bareMetal && features.some((feature) => feature === nestedFeature);
  const nesting = nested && !nests && !bareMetal ? await nestingTypes(ec2) : [];
  const architectures = found?.ProcessorInfo?.SupportedArchitectures ?? [];
  const spot = found?.SupportedUsageClasses?.includes("spot") ?? true;
  return { known: found !== undefined, bareMetal, nests, nesting, architectures, spot };
}

async function nestingTypes(ec2: Ec2): Promise<string[]> {
  const input = { Filters: [filter("processor-info.supported-features", nestedFeature)] };
  const doing = "ask which types support nested virtualization";
  const found = await allOf(ec2, doing, ec2.sdk.paginateDescribeInstanceTypes, input, ({ InstanceTypes }) =>
    InstanceTypes?.flatMap(({ InstanceType }) => InstanceType ?? []),
  );
  return found.toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }));
}
