import { type Ec2, told } from "../client.ts";
import { codeOf } from "../failures.ts";
import { allOf, listIn } from "../pages.ts";
import { filter } from "../tags.ts";

/** The result of a read; `otherwise` if the credentials do not allow the read. */
export async function ifAllowed<T>(read: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (codeOf(error) === "UnauthorizedOperation") return otherwise;
    throw error;
  }
}

/** The names of the zones that the account may use; empty if the credentials do not allow this call. */
export function zones(ec2: Ec2): Promise<readonly string[]> {
  const command = new ec2.sdk.DescribeAvailabilityZonesCommand({});
  return ifAllowed(async () => {
    const doing = "list the zones";
    const { AvailabilityZones } = await told(ec2, doing, ec2.client.send(command, ec2.http));
    return listIn(AvailabilityZones, doing)
      .flatMap(({ ZoneName }) => ZoneName ?? [])
      .toSorted();
  }, []);
}

/** The zones that offer a machine type, sorted; empty if the credentials do not allow this call. */
export function typeZones(ec2: Ec2, type: string): Promise<readonly string[]> {
  const input = { LocationType: "availability-zone" as const, Filters: [filter("instance-type", type)] };
  return ifAllowed(async () => {
    const doing = `ask which zones offer the type ${type}`;
    const pages = ec2.sdk.paginateDescribeInstanceTypeOfferings;
    const found = await allOf(ec2, doing, pages, input, ({ InstanceTypeOfferings }) => InstanceTypeOfferings);
    return found.flatMap(({ Location }) => Location ?? []).toSorted();
  }, []);
}
