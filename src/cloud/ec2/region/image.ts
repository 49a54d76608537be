import { absent, type Absent } from "../../../core/facts/symbols.ts";
import type { Ec2Image, Ec2ImageChoice } from "../../../facts/cloud/ec2/index.ts";
import type { Ec2 } from "../client.ts";
import { codeOf } from "../failures.ts";
import { allOf } from "../pages.ts";
import { filter } from "../tags.ts";

/** An image by its id, or the newest image that matches. */
export async function image(ec2: Ec2, choice: Ec2ImageChoice): Promise<Ec2Image | Absent> {
  const input =
    "id" in choice
      ? { ImageIds: [choice.id] }
      : {
          Owners: [choice.owner],
          Filters: [
            filter("name", choice.name),
            filter("architecture", choice.architecture),
            filter("state", "available"),
          ],
        };
  const doing = `look for the image ${"id" in choice ? choice.id : choice.name}`;
  try {
    const found = await allOf(ec2, doing, ec2.sdk.paginateDescribeImages, input, ({ Images }) => Images);
    const [newest] = found.toSorted((a, b) => ((a.CreationDate ?? "") < (b.CreationDate ?? "") ? 1 : -1));
    if (newest?.ImageId === undefined) return absent;
    const { ImageId: id, Name: name = "", Architecture = "", RootDeviceName: rootDevice = "" } = newest;
    const root = newest.BlockDeviceMappings?.find(({ DeviceName }) => DeviceName === rootDevice);
    return { id, name, architecture: Architecture, rootDevice, rootGb: root?.Ebs?.VolumeSize ?? 0 };
  } catch (error) {
    if (codeOf(error).startsWith("InvalidAMIID.")) return absent;
    throw error;
  }
}
