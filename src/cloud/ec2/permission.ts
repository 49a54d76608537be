import type { Ec2Act, Ec2Permission } from "../../facts/cloud/ec2/index.ts";
import { type Ec2, told } from "./client.ts";
import { codeOf } from "./failures.ts";

/** Calls that change nothing, so they are made even in a dry run. */
const looks = /^(Describe|Get)/;

/**
 * Tests whether the current credentials allow an act. It runs the act up to the first call that would make a change,
 * and makes that call with DryRun. EC2 answers `DryRunOperation` if the call is allowed and `UnauthorizedOperation` if
 * it is not (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RunInstances.html, DryRun). Any other error
 * says nothing about permissions; for example, a resource that an earlier task will create does not exist yet.
 */
export async function permission(
  ec2: Ec2,
  act: Ec2Act,
  perform: (ec2: Ec2, act: Ec2Act) => Promise<void>,
): Promise<Ec2Permission> {
  let denied = "";
  const send = async (command: { readonly input: object }, options: never): Promise<unknown> => {
    const action = command.constructor.name.replace(/Command$/, "");
    if (looks.test(action)) return ec2.client.send(command as never, options);
    Object.assign(command.input, { DryRun: true });
    try {
      await ec2.client.send(command as never, options);
    } catch (error) {
      if (codeOf(error) === "UnauthorizedOperation") denied = `ec2:${action}`;
    }
    throw new DryRunEnded();
  };
  const client = new Proxy(ec2.client, {
    get: (target, key): unknown => (key === "send" ? send : Reflect.get(target, key)),
  });
  await perform({ ...ec2, client, dry: true }, act).catch(() => ec2.signal.throwIfAborted());
  return { denied };
}

class DryRunEnded extends Error {}

/** The names of the zones that the account may use; empty if the credentials do not allow this call. */
export async function zones(ec2: Ec2): Promise<readonly string[]> {
  const command = new ec2.sdk.DescribeAvailabilityZonesCommand({});
  try {
    const { AvailabilityZones = [] } = await told(ec2, "list the zones", ec2.client.send(command, ec2.http));
    return AvailabilityZones.flatMap(({ ZoneName }) => ZoneName ?? []).toSorted();
  } catch (error) {
    if (codeOf(error) === "UnauthorizedOperation") return [];
    throw error;
  }
}
