import { type Refusal, refuse } from "../../src/authoring.ts";

/**
 * Refuses to change an account that comes from another name service, such as SSSD or LDAP: useradd(8), usermod(8),
 * groupmod(8) and similar programs change only /etc/passwd and /etc/group.
 */
export function notLocal(kind: "group" | "user", name: string, act: string): Refusal {
  const path = kind === "user" ? "/etc/passwd" : "/etc/group";
  return refuse({
    code: "account-not-local",
    message: `${act}: the host has the ${kind} ${name}, but not in ${path}`,
    current: `${name} comes from another name service, such as SSSD, LDAP or NIS`,
    expected: `a ${kind} in ${path}`,
    hint: `Make this change in the directory service that has ${name}, not with this task`,
  });
}
