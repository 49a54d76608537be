import { refuse, type Refusal } from "../../src/authoring.ts";
import type { GceOsLogin } from "../../src/facts/catalogue.ts";
import type { Params } from "./params.ts";

/** The fact about OS Login, which is read only if the instance gets SSH keys. */
export type LoginFacts = readonly GceOsLogin[];

/** Whether the guest ignores the keys in its metadata, because it uses OS Login. */
function ignoresKeys(p: Params, { use }: GceOsLogin): "on" | "off" | "unknown" {
  const wanted = p.metadata["enable-oslogin"];
  if (wanted !== undefined && /^(?:1|t|true)$/i.test(wanted)) return "on";
  return wanted !== undefined && /^(?:0|f|false)$/i.test(wanted) ? "off" : use;
}

/** Refuses SSH keys if a new instance is known to ignore them; undefined otherwise. */
export function obstacleOfKeys(p: Params, logins: LoginFacts): Refusal | undefined {
  const [login] = logins;
  if (login === undefined || ignoresKeys(p, login) !== "on") return undefined;
  const where = p.metadata["enable-oslogin"] === undefined ? `the metadata of ${p.project}` : "its metadata";
  return refuse({
    code: "os-login",
    message: `${where} turns on OS Login, so ${p.name} would ignore its sshKeys`,
    current: "enable-oslogin is TRUE",
    hint: 'Leave sshKeys out, and register your key with gceOsLogin; or set metadata: { "enable-oslogin": "FALSE" }',
  });
}

/** Returns a note if an existing instance ignores its keys, or if it is not known whether it does. */
export function notesOnKeys(p: Params, logins: LoginFacts): readonly string[] {
  const [login] = logins;
  if (login === undefined) return [];
  const use = ignoresKeys(p, login);
  if (use === "unknown")
    return [`not known in advance: whether OS Login makes the instance ignore sshKeys (${login.why})`];
  return use === "on"
    ? ["the instance ignores sshKeys, because OS Login is on: register your key with gceOsLogin"]
    : [];
}
