import {
  absent,
  accountName,
  group as groupFact,
  match,
  mayRefuse,
  peek,
  refuse,
  run,
  task,
  z,
} from "../../src/authoring.ts";
import { holderOf } from "../../src/facts/catalogue.ts";
import { notLocal } from "./not-local.ts";
import { numberTaken } from "./number-taken.ts";

const groupName = accountName("the name of a group", "docker").describe("Name of the group");
const gid = z
  .int({ error: "a GID, like 1500" })
  .min(0, "a GID of 0 or more")
  .max(4_294_967_294, "a GID below 4294967295");

const params = z.union([
  z.strictObject({
    name: groupName,
    state: z.literal("present").default("present").describe("The group exists"),
    gid: gid.optional().describe("The group's GID; default: chosen by the host"),
    system: z.boolean({ error: "true or false" }).default(false).describe("Make a new group a system group"),
  }),
  z.strictObject({ name: groupName, state: z.literal("absent").describe("The group does not exist") }),
]);

/** Makes sure that a group exists, or removes it. */
export const group = task({
  name: "group",
  summary: "Keep a group with its GID, or remove it",
  params,
  examples: [{ name: "docker" }, { name: "nginx", gid: 480, system: true }, { name: "old", state: "absent" }],
  title: (p) => `group ${p.name}`,
  takes: (p) => (p.state === "absent" || p.gid === undefined ? {} : { [`GID ${p.gid}`]: p.name }),
  disturbs: () => ["group:*", "user:*", "accountNumber:*", "file:/etc/**"],
})
  .facts((p) => ({ group: groupFact(p.name, ["local"]) }))
  .facts((p, { group }) => ({
    ...(p.state === "present" &&
      p.gid !== undefined &&
      (group === absent || group.gid !== p.gid) && { holder: mayRefuse(holderOf("group", p.gid)) }),
  }))
  .want((p, now) => {
    const { group } = now;
    const isElsewhere = group !== absent && peek(group, "local") === false;
    const changes = p.state === "absent" || match(group, { gid: p.gid }) === "differs";
    if (isElsewhere && changes)
      return notLocal("group", p.name, `${p.name} cannot be ${p.state === "absent" ? "removed" : "changed"}`);
    if (p.state === "present")
      return numberTaken("group", p.name, p.gid, peek(now, "holder")) ?? { group: { gid: p.gid } };
    if (group === absent || group.primaryOf.length === 0) return { group: absent };
    return refuse({
      code: "primary-group",
      message: `the group ${p.name} cannot be removed, because it is the primary group of ${group.primaryOf.join(", ")}`,
      hint: "Remove these users first, or give them another primary group",
    });
  })
  .steps((p, { now }) => {
    if (p.state === "absent") return [run`groupdel -- ${p.name}`];
    const number = p.gid === undefined ? [] : ["-g", String(p.gid)];
    if (now.group !== absent) return [run`groupmod ${number} -- ${p.name}`];
    return [run`groupadd ${[...(p.system ? ["-r"] : []), ...number]} -- ${p.name}`];
  });
