/** A command line that the real tool, or its cloud, would refuse. */
export class Refused extends Error {}

/** A machine as its cloud knows it. */
export interface Machine {
  readonly user: string;
  /** The public key for the login. */
  readonly key: string;
  /** The stable paths of the machine's data disks. */
  readonly disks: readonly string[];
  /** The open ports, each with the network that may reach it. */
  open: string[];
  readonly tags: readonly string[];
}

/** What was created, by type and name: `{ "ssh-key harvester": … }`. */
export interface Created {
  machine?: Machine;
  [thing: string]: unknown;
}

/** The flags and positionals of a command line. */
export interface Given {
  readonly flags: Readonly<Record<string, readonly string[]>>;
  readonly names: readonly string[];
}

/** A command of a tool. */
export interface Command {
  /** Each flag, and which values are valid: `yes` means that the flag has no value. */
  readonly flags: Readonly<Record<string, "yes" | "many" | RegExp>>;
  readonly required: readonly string[];
  /** The number of words that are not flags. */
  readonly names: number;
  /** Creates the requested resources. Returns what the tool prints. Throws Refused. */
  readonly act: (given: Given, created: Created, address: string) => string | undefined;
}

/** The flags and positionals of a command line. Throws Refused if the tool would not accept them. */
export function wordsOf({ flags, required, names }: Command, words: readonly string[]): Given {
  const found: Record<string, string[]> = {};
  const loose: string[] = [];
  let open: string | undefined;
  for (const word of words) {
    const [, name, value] = /^(--[a-z][\w-]*)(?:=(.*))?$/s.exec(word) ?? [];
    if (name !== undefined) {
      if (!(name in flags)) throw new Refused(`unrecognized argument: ${name}`);
      found[name] ??= [];
      if (value !== undefined) found[name].push(value);
      open = flags[name] === "yes" || value !== undefined ? undefined : name;
    } else if (open === undefined) loose.push(word);
    else {
      found[open]?.push(word);
      if (flags[open] !== "many") open = undefined;
    }
  }
  const missing = required.filter((name) => !(name in found));
  if (missing.length > 0) throw new Refused(`these arguments are required: ${missing.join(", ")}`);
  for (const [name, values] of Object.entries(found)) check(name, values, flags[name]);
  if (loose.length !== names) throw new Refused(`expected ${names} names, not "${loose.join(" ")}"`);
  return { flags: found, names: loose };
}

function check(name: string, values: readonly string[], valid: "yes" | "many" | RegExp | undefined): void {
  if (valid === "yes" ? values.length > 0 : values.length === 0) throw new Refused(`${name}: wrong number of values`);
  const wrong = valid instanceof RegExp ? values.find((value) => !valid.test(value)) : undefined;
  if (wrong !== undefined) throw new Refused(`${name}: invalid value "${wrong}"`);
}

/** The only value of a flag. */
export const one = ({ flags }: Given, name: string): string => flags[name]?.[0] ?? "";

/** Returns the key. Throws Refused if it is not an OpenSSH public key. */
export function aKey(key: string): string {
  if (!/^ssh-(ed25519|rsa) [\w+/=]+( .+)?$/.test(key)) throw new Refused(`not a public key: "${key}"`);
  return key;
}

/** The machine that was created. Throws Refused if it does not exist. */
export function machineIn({ machine }: Created, is: (machine: Machine) => boolean = () => true): Machine {
  if (machine === undefined || !is(machine)) throw new Refused("the machine was not found");
  return machine;
}

/** A resource name. */
export const aName = /^[a-zA-Z][\w-]*$/;

/** Matches a network, or a single address, in CIDR notation. */
export const aNetwork = /^\d{1,3}(\.\d{1,3}){3}\/\d{1,2}$/;
