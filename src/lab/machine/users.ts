import type { LabUser } from "../lab.ts";

/** The users on every lab host. Their passwords are fixed, because a lab cannot be reached from outside the machine. */
export const labUsers: readonly LabUser[] = [
  { name: "root", password: "lab-root-word", becomes: "root" },
  { name: "furrow", password: "lab-furrow-word", becomes: "sudo-password" },
  { name: "admin", password: "lab-admin-word", becomes: "sudo-nopasswd" },
];

/** The home directory of a lab user. */
export function homeOf(user: LabUser): string {
  return user.name === "root" ? "/root" : `/home/${user.name}`;
}
