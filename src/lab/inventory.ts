import { FurrowError } from "../core/errors.ts";
import type { InventoryDefinition } from "../core/inventory/inventory.ts";
import type { HostEntry } from "../core/inventory/inventory-entries.ts";
import type { InventorySource, SourceListing } from "../core/inventory/inventory-source.ts";
import { secretOf } from "../core/secrets/secret.ts";
import type { Lab } from "./lab.ts";
import { readLab } from "./list.ts";

/**
 * Creates an inventory of a lab's hosts: all are in a group with the lab's name, and each has a `disks` var, which
 * lists the by-id paths of its data disks.
 *
 * @param user the login user, one of `lab.users`; the inventory includes the sudo password if the user needs one
 * @throws FurrowError E_LAB if the lab has no such user
 */
export function labInventory(lab: Lab, user: string = "root"): InventoryDefinition {
  const login = lab.users.find(({ name }) => name === user);
  if (login === undefined) {
    throw new FurrowError("E_LAB", {
      what: "the lab's hosts have no such user",
      current: `"${user}"`,
      expected: lab.users.map(({ name }) => name).join(", "),
      hint: "Name one of these users",
    });
  }
  const password = secretOf(login.password, `password of ${login.name} in the lab ${lab.name}`);
  const becomes = {
    root: {},
    "sudo-nopasswd": { become: { method: "sudo" } },
    "sudo-password": { become: { method: "sudo", password } },
  } as const;
  const hosts = lab.hosts.map(({ name, address, port, disks }): [string, HostEntry] => [
    name,
    { address, port, vars: { disks: disks.map(({ path }) => path) } },
  ]);
  const group = {
    hosts: lab.hosts.map(({ name }) => name),
    user,
    identityFile: lab.identityFile,
    knownHostsFile: lab.knownHostsFile,
    ...becomes[login.becomes],
  };
  return { hosts: Object.fromEntries(hosts), groups: { [lab.name]: group } };
}

/**
 * An inventory source for a running lab; it is read when a run starts.
 *
 * @param options `name`: the lab, default `lab`; `user`: as for `labInventory`
 */
export function labHosts(options: { readonly name?: string; readonly user?: string } = {}): InventorySource {
  const name = options.name ?? "lab";
  return {
    source: `lab ${name}`,
    async list(): Promise<SourceListing> {
      const lab = await readLab(name);
      if (lab?.status === "up") return { ...labInventory(lab, options.user), leftOut: [] };
      throw new FurrowError("E_LAB", {
        what: `there is no running lab "${name}"`,
        hint: `Start it with \`furrow lab up${name === "lab" ? "" : ` --name ${name}`}\``,
      });
    },
  };
}
