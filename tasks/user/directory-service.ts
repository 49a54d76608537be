import {
  type Absent,
  absent,
  type GroupState,
  match,
  peek,
  type Refusal,
  type UserState,
} from "../../src/authoring.ts";
import { notLocal } from "../group/not-local.ts";
import { groupNames, type Present } from "./params.ts";

/** The values of the facts about a user and its groups. */
interface Known {
  readonly user: Absent | UserState;
  readonly groups?: readonly (Absent | GroupState)[];
}

/**
 * Refuses a change that usermod(8) and useradd(8) cannot make, because it concerns a user who is not in /etc/passwd or
 * a group that is not in /etc/group. A user of a directory service may be added to local groups, and removed from them.
 */
export function notInFiles(p: Present, now: Known): Refusal | undefined {
  const { uid, group, shell, home, comment, passwordHash } = p;
  const isOther = now.user !== absent && peek(now.user, "local") === false;
  const differs = match(now.user, { uid, group, shell, home, comment }) === "differs";
  if (isOther && (differs || passwordHash !== undefined))
    return notLocal("user", p.name, `${p.name} cannot be changed`);
  const joins = groupsToJoin(p, now).find((name) => isElsewhere(p, now, name));
  if (joins !== undefined) return notLocal("group", joins, `${p.name} cannot be added to ${joins}`);
  const leaves = groupsToLeave(p, now.user).find((name) => elsewhereOf(now.user).includes(name));
  return leaves === undefined ? undefined : notLocal("group", leaves, `${p.name} cannot be removed from ${leaves}`);
}

function groupsToJoin(p: Present, { user }: Known): readonly string[] {
  const member = user === absent ? {} : peek(user, "member");
  return typeof member === "symbol" ? [] : (p.groups ?? []).filter((name) => name !== p.group && !(name in member));
}

function groupsToLeave(p: Present, user: Absent | UserState): readonly string[] {
  const groups = user === absent ? [] : peek(user, "groups");
  const { groups: wanted } = p;
  if (!p.exactGroups || wanted === undefined || typeof groups === "symbol") return [];
  return groups.filter((name) => !wanted.includes(name));
}

function isElsewhere(p: Present, { groups = [] }: Known, name: string): boolean {
  const found = peek(groups, groupNames(p).indexOf(name));
  return typeof found === "object" && peek(found, "local") === false;
}

function elsewhereOf(user: Absent | UserState): readonly string[] {
  const names = user === absent ? [] : peek(user, "elsewhere");
  return Array.isArray(names) ? (names as readonly string[]) : [];
}
