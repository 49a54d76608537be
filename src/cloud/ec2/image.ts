import { absent, type Absent } from "../../core/facts/symbols.ts";
import type { Ec2Image, Ec2ImageChoice, Ec2MachineType } from "../../facts/cloud/ec2/index.ts";
import { type Ec2, told } from "./client.ts";
import { codeOf } from "./failures.ts";
import { filter } from "./tags.ts";

/** An image by its id, or the newest image that matches. */
export async function image(ec2: Ec2, choice: Ec2ImageChoice): Promise<Ec2Image | Absent> {
  const command = new ec2.sdk.DescribeImagesCommand(
    "id" in choice
      ? { ImageIds: [choice.id] }
      : {
          Owners: [choice.owner],
          Filters: [
            filter("name", choice.name),
            filter("architecture", choice.architecture),
            filter("state", "available"),
          ],
        },
  );
  const doing = `look for the image ${"id" in choice ? choice.id : choice.name}`;
  try {
    const { Images = [] } = await told(ec2, doing, ec2.client.send(command, ec2.http));
    const [newest] = Images.toSorted((a, b) => ((a.CreationDate ?? "") < (b.CreationDate ?? "") ? 1 : -1));
    if (newest?.ImageId === undefined) return absent;
    const { ImageId: id, Name: name = "", Architecture = "", RootDeviceName: rootDevice = "" } = newest;
    const root = newest.BlockDeviceMappings?.find(({ DeviceName }) => DeviceName === rootDevice);
    return { id, name, architecture: Architecture, rootDevice, rootGb: root?.Ebs?.VolumeSize ?? 0 };
  } catch (error) {
    if (codeOf(error).startsWith("InvalidAMIID.")) return absent;
    throw error;
  }
}

/** The CPU feature that lets a machine run nested virtual machines. */
const nestedFeature = "nested-virtualization";

/**
 * The properties of a machine type. If nested virtualization is requested and the type does not support it, the answer
 * also lists the types that do.
 */
export async function machineType(ec2: Ec2, type: string, nested: boolean): Promise<Ec2MachineType> {
  const command = new ec2.sdk.DescribeInstanceTypesCommand({ InstanceTypes: [type as never] });
  try {
    const { InstanceTypes = [] } = await told(ec2, `ask about the type ${type}`, ec2.client.send(command, ec2.http));
    const [found] = InstanceTypes;
    const bareMetal = found?.BareMetal === true;
    const features = found?.ProcessorInfo?.SupportedFeatures ?? [];
    const nests = !bareMetal && features.some((feature) => feature === nestedFeature);
    const nesting = nested && !nests && !bareMetal ? await nestingTypes(ec2) : [];
    const architectures = found?.ProcessorInfo?.SupportedArchitectures ?? [];
    const spot = found?.SupportedUsageClasses?.includes("spot") ?? true;
    return { known: found !== undefined, bareMetal, nests, nesting, architectures, spot };
  } catch (error) {
    if (codeOf(error) !== "InvalidInstanceType") throw error;
    const none = { known: false, bareMetal: false, nests: false, architectures: [], spot: true };
    return { ...none, nesting: nested ? await nestingTypes(ec2) : [] };
  }
}

async function nestingTypes(ec2: Ec2): Promise<string[]> {
  const found: string[] = [];
  const pages = ec2.sdk.paginateDescribeInstanceTypes(
    { client: ec2.client },
    { Filters: [filter("processor-info.supported-features", nestedFeature)] },
    ec2.http,
  );
  const all = async (): Promise<void> => {
    for await (const { InstanceTypes = [] } of pages) found.push(...InstanceTypes.flatMap((t) => t.InstanceType ?? []));
  };
  await told(ec2, "ask which types can nest virtual machines", all());
  return found.toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }));
}
