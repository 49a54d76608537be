import { kept } from "../state/kept.ts";

let logins: Map<string, string> | undefined;

/**
 * What let us in last time (`key ~/.ssh/id_ed25519`, `password`), by `user@host:port`: names, never the thing itself.
 */
export function keptLogins(): Map<string, string> {
  logins ??= kept("logins.json", (value): value is string => typeof value === "string");
  return logins;
}
