import { z } from "zod";
import type { Permission } from "../../../core/host/driver.ts";
import type { Json } from "../../../core/facts/fact.ts";
import { absent } from "../../../core/facts/symbols.ts";
import type { GceLoginProfile, GceLoginRole, GceOsLogin, GceOsLoginPolicy } from "../../../facts/cloud/gce/index.ts";
import { getThing } from "../read.ts";
import { policyOn } from "../rehearsal/policies.ts";
import type { RawInstance } from "../views.ts";
import { osLoginOf, osLoginWords, projectWords } from "./metadata.ts";
import { ownAccount } from "./own-account.ts";
import { bareKey, loginFailure, readProfile, registerKey, removeKey } from "./profile.ts";
import { ownRole } from "./role.ts";

const text = z.string().min(1);
const place = { project: text, zone: text, name: text };

const request = z.discriminatedUnion("osLogin", [
  z.strictObject({ osLogin: z.literal("metadata"), ...place }),
  z.strictObject({ osLogin: z.literal("policy"), project: text }),
  z.strictObject({ osLogin: z.literal("profile"), account: z.string(), key: text, leastHours: z.number() }),
  z.strictObject({ osLogin: z.literal("role"), account: z.string(), ...place }),
  z.strictObject({
    osLogin: z.literal("register"),
    account: z.string(),
    project: text,
    key: text,
    hours: z.number().positive(),
  }),
  z.strictObject({ osLogin: z.literal("remove"), account: z.string(), key: text }),
]);

/** True if a request to the driver concerns OS Login, and not a resource of Compute Engine. */
export function isOsLogin(asked: Json): boolean {
  return typeof asked === "object" && asked !== null && "osLogin" in asked;
}

/** Answers a query about OS Login. Throws FurrowError E_DRIVER. */
export async function readOsLogin(
  asked: Json,
  signal: AbortSignal,
): Promise<GceOsLogin | GceOsLoginPolicy | GceLoginProfile | GceLoginRole> {
  const question = request.parse(asked);
  switch (question.osLogin) {
    case "metadata": {
      const { osLogin: _, ...where } = question;
      const instance = await getThing("instance", where, false, signal);
      const own = osLoginWords(instance === absent ? undefined : (instance as RawInstance).metadata);
      return { instance: instance !== absent, ...osLoginOf(own, await projectWords(where.project, signal)) };
    }
    case "policy": {
      const verdict = await policyOn(question.project, { name: "compute.requireOsLogin" }, signal);
      if (verdict.is === "unknown") return { required: "unknown", why: verdict.why };
      return { required: verdict.is === "forbidden" ? "yes" : "no", why: "" };
    }
    case "profile":
      return profileOf(question, signal);
    case "role": {
      const { osLogin: _, account, ...where } = question;
      const isOwn = account === "" || account === (await ownAccount(signal));
      return isOwn ? ownRole(where, signal) : { may: "unknown", why: "" };
    }
    default:
      throw new Error(`not a question: ${question.osLogin}`);
  }
}

async function profileOf(
  { account, key, leastHours }: { readonly account: string; readonly key: string; readonly leastHours: number },
  signal: AbortSignal,
): Promise<GceLoginProfile> {
  const named = account === "" ? ((await ownAccount(signal)) ?? "") : account;
  const none = { account: named, user: "", registered: false, lasts: false, expires: "" };
  if (named === "") return none;
  const profile = await readProfile(named, signal);
  if ("why" in profile) throw loginFailure(`read the profile of ${named}`, { is: "unknown", why: profile.why });
  const user = profile.user ?? "";
  const own = profile.keys.filter((one) => one.key === bareKey(key));
  const expires = Math.max(...own.map((one) => one.expires));
  const now = Date.now();
  if (own.length === 0 || expires <= now) return { ...none, user };
  return {
    account: named,
    user,
    registered: true,
    lasts: expires >= now + leastHours * 3_600_000,
    expires: expires === Infinity ? "" : new Date(expires).toISOString(),
  };
}

/** Changes a profile. Throws FurrowError E_DRIVER. */
export async function changeOsLogin(asked: Json, signal: AbortSignal): Promise<void> {
  const change = request.parse(asked);
  if (change.osLogin !== "register" && change.osLogin !== "remove") throw new Error(`not a change: ${change.osLogin}`);
  const account = change.account === "" ? await ownAccount(signal) : change.account;
  if (account === undefined) {
    throw loginFailure("find the account of the credentials", {
      is: "unknown",
      why: "the credentials do not say which account they belong to",
    });
  }
  if (change.osLogin === "register") return registerKey({ ...change, account }, signal);
  return removeKey(account, change.key, signal);
}

/**
 * The permissions for a request. An account needs no permissions to read and change its own profile; reading the
 * metadata and the role needs Compute Engine's permissions.
 */
export function osLoginPermissions(asked: Json): readonly Permission[] {
  const question = request.parse(asked);
  if (question.osLogin !== "metadata") return [];
  const { project } = question;
  return ["compute.instances.get", "compute.projects.get"].map((name) => ({ name, project }));
}
