import {
  type Absent,
  absent,
  group,
  type GroupState,
  type HostFact,
  knownAfterApply,
  type KnownAfterApply,
  mayRefuse,
  onlyRead,
  peek,
  refuse,
  type Refusal,
  user,
  type UserState,
} from "../../src/authoring.ts";
import { holderOf, type NumberHolder } from "../../src/facts/catalogue.ts";

interface Owned {
  readonly owner?: string | undefined;
  readonly group?: string | undefined;
}

// This is a type alias, not an interface, because only a type alias is assignable to a record of facts.
type Named = {
  readonly ownerIs?: HostFact<Absent | UserState | NumberHolder>;
  readonly groupIs?: HostFact<Absent | GroupState | NumberHolder>;
};

interface Known {
  readonly ownerIs?: Absent | UserState | NumberHolder | undefined;
  readonly groupIs?: Absent | GroupState | NumberHolder | undefined;
}

/**
 * Returns the facts about the user and group that must own a file. Root needs no fact: it exists on every host.
 */
export function ownerFacts({ owner, group: own }: Owned): Named {
  return {
    ...(owner !== undefined &&
      owner !== "root" && {
        ownerIs: isNumber(owner)
          ? onlyRead<Absent | UserState | NumberHolder>(holderOf("user", Number(owner)))
          : mayRefuse(onlyRead<Absent | UserState | NumberHolder>(user(owner)), []),
      }),
    ...(own !== undefined &&
      own !== "root" && {
        groupIs: isNumber(own)
          ? onlyRead<Absent | GroupState | NumberHolder>(holderOf("group", Number(own)))
          : mayRefuse(onlyRead<Absent | GroupState | NumberHolder>(group(own)), []),
      }),
  };
}

/** Refuses if the user or group does not exist. */
export function ownerRefusal(path: string, p: Owned, now: Known): Refusal | undefined {
  return missing(path, "user", p.owner, peek(now, "ownerIs")) ?? missing(path, "group", p.group, peek(now, "groupIs"));
}

/** Returns the user and group by the names that the host uses: `"1"` is daemon if daemon has that UID. */
export function ownersOf(p: Owned, now: Known): { owner: OwnerName; group: OwnerName } {
  return { owner: named(p.owner, peek(now, "ownerIs")), group: named(p.group, peek(now, "groupIs")) };
}

type OwnerName = string | undefined | KnownAfterApply;

function named(given: string | undefined, now: Known[keyof Known] | KnownAfterApply): OwnerName {
  if (given === undefined || !isNumber(given)) return given;
  if (now === knownAfterApply) return now;
  return now !== undefined && now !== absent && "name" in now ? now.name : String(Number(given));
}

function missing(path: string, what: "user" | "group", given: string | undefined, now: unknown): Refusal | undefined {
  if (given === undefined || isNumber(given) || now !== absent) return undefined;
  return refuse({
    code: `no-${what}`,
    message: `${path} cannot belong to ${given}: there is no such ${what} on the host`,
    hint: `Put ${what}({ name: "${given}" }) before this task`,
  });
}

function isNumber(text: string): boolean {
  return /^\d+$/.test(text);
}
