import type { BecomeOptions, Connection } from "../../core/inventory/inventory-entries.ts";
import { Secret, secretOf } from "../../core/secrets/secret.ts";
import { firstOf, sshArguments } from "./ssh-arguments.ts";
import { vaultValue } from "./vault.ts";

/** How to reach a host, according to Ansible's variables. */
export interface AnsibleConnection {
  readonly connection: Connection;
  /** The variable that each setting comes from: `user` → `ansible_user`. */
  readonly from: Readonly<Record<string, string>>;
  /** Variables that furrow cannot use, with the reason: a template or a wrong value. */
  readonly wrong: readonly { readonly name: string; readonly reason: string }[];
  /** The reason why furrow cannot reach the host at all. */
  readonly unreachable: string | undefined;
  /** ssh options that furrow ignores, without their values, each with the variable that contains it. */
  readonly ignored: readonly string[];
}

/** The variables for each setting; if several are set, the last one wins. */
const settings = {
  transport: ["ansible_connection"],
  address: ["ansible_host", "ansible_ssh_host"],
  port: ["ansible_port", "ansible_ssh_port"],
  user: ["ansible_user", "ansible_ssh_user"],
  password: ["ansible_password", "ansible_ssh_pass", "ansible_ssh_password"],
  identityFile: ["ansible_private_key_file", "ansible_ssh_private_key_file"],
  passphrase: ["ansible_private_key_passphrase", "ansible_ssh_private_key_passphrase"],
  hostKeyPolicy: ["ansible_host_key_checking", "ansible_ssh_host_key_checking"],
  connectTimeoutSeconds: ["ansible_timeout", "ansible_ssh_timeout"],
  arguments: ["ansible_ssh_args", "ansible_ssh_common_args", "ansible_ssh_extra_args"],
  method: ["ansible_become_method"],
  becomeUser: ["ansible_become_user", "ansible_sudo_user", "ansible_su_user"],
  becomePassword: ["ansible_become_password", "ansible_become_pass", "ansible_sudo_pass", "ansible_su_pass"],
} as const;

/** The variables with ssh arguments, in the order in which ssh reads them. */
export const argumentNames: readonly string[] = settings.arguments;

/** The names of all variables that say how to reach a host. */
export const connectionNames: readonly string[] = Object.values(settings).flat();

type SettingName = keyof typeof settings;

/** Variables whose values are always secrets. */
const secretNames: ReadonlySet<string> = new Set([
  ...settings.password,
  ...settings.passphrase,
  ...settings.becomePassword,
]);

/** Turns a plain-text password into a secret; returns any other value unchanged. */
export function hidePassword(name: string, value: unknown): unknown {
  const isText = typeof value === "string" || typeof value === "number";
  return secretNames.has(name) && isText && value !== "" && !isTemplate(value) ? secretOf(String(value), name) : value;
}

/** True for a string that contains a Jinja template. */
export function isTemplate(value: unknown): boolean {
  return typeof value === "string" && /\{\{|\{%|\{#/.test(value);
}

/** Reads the connection settings of a host or group from its variables. */
export function connectionOf(vars: ReadonlyMap<string, unknown>): AnsibleConnection {
  const reader = new ConnectionReader(vars);
  return reader.read();
}

class ConnectionReader {
  readonly #vars: ReadonlyMap<string, unknown>;
  readonly #from: Record<string, string> = {};
  readonly #wrong: { name: string; reason: string }[] = [];
  readonly #ignored: string[] = [];
  #unreachable: string | undefined;

  constructor(vars: ReadonlyMap<string, unknown>) {
    this.#vars = vars;
  }

  read(): AnsibleConnection {
    // Ansible passes ansible_ssh_args first, then the settings from other variables, then the other ssh arguments; ssh
    // uses the first value of each option.
    const later = this.#arguments(argumentNames.slice(1));
    const named = this.#named();
    const first = this.#arguments(argumentNames.slice(0, 1));
    return {
      connection: firstOf(firstOf(first, named), later),
      from: this.#from,
      wrong: this.#wrong,
      unreachable: this.#unreachable,
      ignored: this.#ignored,
    };
  }

  #named(): Connection {
    const transport = this.#transport();
    return {
      ...this.#defined("transport", transport),
      ...this.#text("address"),
      ...this.#number("port", 65_535),
      ...this.#text("user"),
      ...this.#secret("password"),
      ...this.#text("identityFile"),
      ...this.#secret("passphrase"),
      ...this.#hostKeys(),
      ...this.#number("connectTimeoutSeconds", 86_400),
      ...this.#become(),
    };
  }

  /** The last of a setting's variables that has a value. Values from a vault are decrypted. */
  #last(setting: SettingName): { name: string; value: unknown } | undefined {
    const name = settings[setting].findLast((candidate) => !isEmpty(this.#vars.get(candidate)));
    return name === undefined ? undefined : this.#checked(name);
  }

  #checked(name: string): { name: string; value: unknown } | undefined {
    const value = this.#vars.get(name);
    if (isTemplate(value)) {
      this.#wrong.push({ name, reason: "is a Jinja template, which furrow does not evaluate" });
      return undefined;
    }
    if (!(value instanceof Secret) || secretNames.has(name)) return { name, value };
    const plain = vaultValue(value)?.plain;
    if (plain !== undefined) return { name, value: plain };
    this.#wrong.push({ name, reason: "is encrypted, and no vault password was given (--vault-password-file)" });
    return undefined;
  }

  #defined<K extends string, V>(key: K, found: { name: string; value: V } | undefined): { [P in K]?: V } {
    if (found === undefined) return {};
    this.#from[key] = found.name;
    return { [key]: found.value } as { [P in K]?: V };
  }

  #text<K extends SettingName>(key: K): { [P in K]?: string } {
    const found = this.#last(key);
    return this.#defined(key, found === undefined ? undefined : { ...found, value: String(found.value) });
  }

  #number<K extends SettingName>(key: K, most: number): { [P in K]?: number } {
    const found = this.#last(key);
    if (found === undefined) return {};
    const value = Number(found.value);
    if (Number.isInteger(value) && value >= 1 && value <= most) return this.#defined(key, { ...found, value });
    this.#wrong.push({ name: found.name, reason: `is not a whole number from 1 to ${most}` });
    return {};
  }

  #secret<K extends SettingName>(key: K): { [P in K]?: Secret } {
    const found = this.#last(key);
    return this.#defined(key, found === undefined ? undefined : { ...found, value: secretFrom(found) });
  }

  #transport(): { name: string; value: "ssh" | "local" } | undefined {
    const found = this.#last("transport");
    if (found === undefined) return undefined;
    const value = String(found.value).replace(/^ansible\.(?:builtin|netcommon)\./, "");
    if (value === "local") return { ...found, value };
    // `ssh` is Ansible's default; if this code set it explicitly, every overview would show it.
    if (!["ssh", "smart", "paramiko", "paramiko_ssh", "libssh"].includes(value)) {
      this.#unreachable = `ansible_connection ${value}`;
    }
    return undefined;
  }

  #hostKeys(): Connection {
    const found = this.#last("hostKeyPolicy");
    if (found === undefined) return {};
    const isOff = /^(?:false|no|off|0|f|n)$/i.test(String(found.value));
    return this.#defined("hostKeyPolicy", { name: found.name, value: isOff ? ("off" as const) : ("strict" as const) });
  }

  #arguments(names: readonly string[]): Connection {
    let connection: Connection = {};
    for (const name of names) {
      const found = isEmpty(this.#vars.get(name)) ? undefined : this.#checked(name);
      if (found === undefined) continue;
      const said = sshArguments(String(found.value));
      if (said === undefined) {
        this.#wrong.push({ name, reason: "has a quote that is not closed" });
        continue;
      }
      for (const key of Object.keys(said.connection)) if (!(key in connection)) this.#from[key] = name;
      connection = firstOf(connection, said.connection);
      this.#ignored.push(...said.ignored.map((option) => `${name}: ${option}`));
      if (said.needed !== undefined) this.#unreachable ??= `${name} has ${said.needed}, which furrow cannot apply`;
    }
    return connection;
  }

  #become(): { become?: BecomeOptions } {
    const method = this.#last("method");
    const user = this.#last("becomeUser");
    const password = this.#last("becomePassword");
    if (method === undefined && user === undefined && password === undefined) return {};
    const name = method === undefined ? undefined : String(method.value).replace(/^(?:ansible|community)\.\w+\./, "");
    const known = name === "sudo" || name === "su" || name === "doas" ? name : undefined;
    if (name !== undefined && known === undefined) this.#unreachable ??= `ansible_become_method ${name}`;
    for (const [key, found] of Object.entries({ method, user, password })) {
      if (found !== undefined) this.#from[`become.${key}`] = found.name;
    }
    const become: BecomeOptions = {
      ...(known !== undefined && { method: known }),
      ...(user !== undefined && { user: String(user.value) }),
      ...(password !== undefined && { password: secretFrom(password) }),
    };
    return { become };
  }
}

function secretFrom({ name, value }: { name: string; value: unknown }): Secret {
  return value instanceof Secret ? value : secretOf(String(value), name);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}
