import { userInfo } from "node:os";
import { FurrowError } from "../../core/errors.ts";
import type { InventoryDefinition } from "../../core/inventory/inventory.ts";
import type { HostEntry } from "../../core/inventory/inventory-entries.ts";
import { goodName } from "./inventory-schema.ts";

/** True if an `-i` argument lists hosts: `web1,web2`, `web1,`, `local`. */
export function isHostList(text: string): boolean {
  return text === "local" || text.includes(",");
}

/** The inventory of a host list given on the command line: `[user@]host[:port]`, or `local`. */
export function hostList(text: string): InventoryDefinition {
  const words = text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
  refuseOneNameTwice(words);
  const hosts = Object.fromEntries(words.map(entry));
  if (words.length === 0) {
    throw new FurrowError("E_INVENTORY", {
      what: `the host list "${text}" names no host`,
      hint: "Write hosts separated by commas: -i web1,web2",
    });
  }
  return { hosts };
}

/**
 * Two entries that differ only in user or port would become one host, and one of the entries would be ignored silently.
 */
function refuseOneNameTwice(words: readonly string[]): void {
  const byName = Map.groupBy(new Set(words), (word) => entry(word)[0]);
  for (const [name, [first = "", second]] of byName) {
    if (second === undefined) continue;
    const { user, port } = entry(first)[1];
    const settings = [`address: "${name}"`, ...(user === undefined ? [] : [`user: "${user}"`])];
    const shown = [...settings, ...(port === undefined ? [] : [`port: ${port}`])].join(", ");
    throw new FurrowError("E_INVENTORY", {
      what: `two entries of the host list have the name ${name}`,
      current: `${first} and ${second}`,
      expected: "one entry for each name",
      hint: `Give each a name in an inventory file: hosts: { one: { ${shown} }, … }`,
    });
  }
}

function entry(word: string): [string, HostEntry] {
  if (word === "local") return ["local", { transport: "local", address: "localhost", user: userInfo().username }];
  const [, user, address, port] = /^(?:([^@]+)@)?([^@:]+)(?::(\d+))?$/.exec(word) ?? [];
  if (address === undefined || !goodName.test(address)) {
    throw new FurrowError("E_INVENTORY", {
      what: `"${word}" in the host list is not a host`,
      expected: "[user@]host[:port], like root@192.0.2.7:2222",
      hint: 'Write hosts separated by commas; put an IPv6 address in an inventory file as "address"',
    });
  }
  return [address, { address, ...(user !== undefined && { user }), ...(port !== undefined && { port: Number(port) }) }];
}
