import { kept } from "../state/kept.ts";

let logins: Map<string, string> | undefined;

/**
 * The login method that worked last time (`key ~/.ssh/id_ed25519`, `password`), by `user@host:port`. The map contains
 * names of methods, never a key or password.
 */
export function keptLogins(): Map<string, string> {
  logins ??= kept("logins.json", (value): value is string => typeof value === "string");
  return logins;
}
