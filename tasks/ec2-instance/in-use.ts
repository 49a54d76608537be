import { type Absent, absent, refuse, type Refusal } from "../../src/authoring.ts";
import { ec2Holder, type Ec2Holder, type Ec2InstanceState, ec2InstanceState } from "../../src/facts/catalogue.ts";

/** The machine that uses a volume or an address. */
export interface Users {
  /** Undefined if no machine uses the resource, or if the resource may stay with its machine. */
  readonly holder?: Ec2Holder | Absent;
  /** The same machine, looked up by its name, because an earlier task of the run may remove it. */
  readonly user?: Ec2InstanceState | Absent;
}

/** Asks for the machine with this id, if an id is given. */
export function holderFact(region: string | undefined, id: string | undefined) {
  return id === undefined || id === "" ? {} : { holder: ec2Holder({ region, id }) };
}

/** Asks for that machine by its name. */
export function userFact(region: string | undefined, holder: Ec2Holder | Absent | undefined) {
  if (holder === undefined || holder === absent || holder.name === "") return {};
  return { user: ec2InstanceState({ region, name: holder.name }) };
}

/**
 * Refuses to take a resource from a machine that will continue to exist. `fromOwn` allows taking the resource from a
 * machine that furrow launched.
 */
export function refuseInUse(
  { holder, user }: Users,
  what: { readonly title: string; readonly id: string; readonly fromOwn: boolean; readonly hint: string },
): Refusal | undefined {
  if (holder === undefined || holder === absent || user === absent) return undefined;
  if (what.fromOwn && holder.ours) return undefined;
  const whose = holder.ours ? "" : ", which furrow did not launch";
  return refuse({
    code: "in-use",
    message: `${what.title} is in use by the machine ${[holder.name, `(${what.id})`].join(" ").trim()}${whose}`,
    hint: what.hint,
  });
}
