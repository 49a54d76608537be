import type { BecomeOptions } from "../inventory/inventory-entries.ts";
import { described, isAsync } from "./described.ts";
import { Secret } from "../secrets/secret.ts";
import { booleanRule, booleanWord, type OptionRule, type OptionRules, tagsRule, textRule } from "./option-rules.ts";
import { Ref } from "./ref.ts";

const isUserName = (value: unknown): boolean => typeof value === "string" && !/^$|^-|[\s:\0]/.test(value);

function isSerial(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every((size) => !Array.isArray(size) && isSerial(size));
  if (typeof value === "number") return Number.isSafeInteger(value) && value >= 1;
  if (typeof value !== "string" || !/^\d+(\.\d+)?%$/.test(value)) return false;
  const share = Number.parseFloat(value);
  return share > 0 && share <= 100;
}

function serialHint(value: unknown): string {
  if (typeof value === "string" && /^[1-9]\d*$/.test(value)) return `Write serial: ${value}, without quotes`;
  const sizes: readonly unknown[] = Array.isArray(value) ? value : [value];
  const areNone = sizes.every((size) => Number.parseFloat(described(size).replace('"', "")) <= 0);
  return areNone
    ? "Leave serial out to run all hosts at once"
    : 'Write a whole number, a share like "25%", or a list of these';
}

function percentageHint(value: unknown): string {
  const [, number] = (typeof value === "string" && /^(\d+(?:\.\d+)?)\s*%?$/.exec(value)) || [];
  if (number !== undefined && Number(number) <= 100) return `Write maxFailPercentage: ${number}`;
  return typeof value === "number" && value > 100
    ? "Write maxFailPercentage: 100 to allow every host to fail"
    : "Write a number from 0 to 100";
}

function hostsHint(value: unknown): string {
  const names = Array.isArray(value) ? (value as readonly unknown[]).map(nameOf) : [];
  return names.length > 0 && names.every((name) => name !== undefined)
    ? `Write "${names.join(",")}"`
    : 'Write a host pattern, such as "all", "web" or "web1,web2"';
}

function nameOf(host: unknown): string | undefined {
  if (typeof host === "string") return host;
  const isNamed = typeof host === "object" && host !== null && "name" in host && typeof host.name === "string";
  return isNamed ? (host.name as string) : undefined;
}

function becomeHint(value: unknown): string {
  const meant = booleanWord(value);
  if (meant !== undefined && value !== "") return `Write become: ${meant}`;
  return value === 1 || value === 0
    ? `Write become: ${value === 1} ${value === 1 ? "to become root" : "to stay the login user"}`
    : 'Write become: true, or a user\'s name: become: "postgres"';
}

const hostsRule: OptionRule = {
  isRight: (value) => typeof value === "string" || value instanceof Ref,
  expected: "a host pattern in one string, or the hosts in an earlier task's output",
  hint: hostsHint,
};

const becomeRule: OptionRule = {
  // The parts of an object are checked by `becomeRules`.
  isRight: (value) =>
    typeof value === "boolean" ||
    (isUserName(value) && booleanWord(value) === undefined) ||
    (typeof value === "object" && value !== null && !Array.isArray(value)),
  expected: "true, a user's name, or { method, user, password }",
  hint: becomeHint,
};

const tasksRule: OptionRule = {
  isRight: (value) => typeof value === "function" && !isAsync(value),
  expected: (value) => (isAsync(value) ? "a function without `async`" : "a function: ({ host, vars, facts }) => [ … ]"),
  hint: (value) =>
    isAsync(value)
      ? "Remove `async`: tasks must not be async; do slow work in a task"
      : Array.isArray(value)
        ? "Write tasks: () => [ … ]"
        : "Write a function that returns a list: tasks: () => [ … ]",
};

/** The rules for a play's options. */
export const playRules = {
  name: textRule,
  hosts: hostsRule,
  become: becomeRule,
  serial: {
    isRight: isSerial,
    expected: 'a whole number, 1 or more, a share from above 0% to "100%", or a list of these',
    hint: serialHint,
  },
  anyFailureFatal: booleanRule,
  maxFailPercentage: {
    isRight: (value) => typeof value === "number" && value >= 0 && value <= 100,
    expected: "a number from 0 to 100",
    hint: percentageHint,
  },
  tags: tagsRule,
  tasks: tasksRule,
} satisfies Readonly<Record<string, OptionRule>>;

/** The rules for a play's `become`, if it is an object. */
export const becomeRules: OptionRules<BecomeOptions> = {
  method: {
    isRight: (value) => typeof value === "string" && ["sudo", "su", "doas"].includes(value),
    expected: '"sudo", "su" or "doas"',
    hint: () => 'Write "sudo", "su" or "doas", or leave method out',
  },
  user: {
    isRight: isUserName,
    expected: "the name of a user on the host",
    hint: () => "Give the name of a user, or leave user out to become root",
  },
  password: {
    isRight: (value) => value instanceof Secret,
    expected: "a secret: secret.env, secret.file or prompt",
    hint: () => 'Write password: secret.env("NAME")',
    isSecret: true,
  },
};

/** The rules for a playbook's options. */
export const playbookRules = {
  name: textRule,
  vars: {
    isRight: isSchema,
    expected: "a schema: z.object({ … })",
    hint: varsHint,
  },
  confirm: {
    isRight: (value) => typeof value === "function",
    expected: '({ vars, host }) => ({ lost: "…", typeBack: "…" })',
    hint: () => "Make it a function that takes { vars, host }",
  },
  plays: {
    isRight: Array.isArray,
    expected: "a list of plays",
    hint: () => "Write the plays in brackets: plays: [ … ]",
  },
} satisfies Readonly<Record<string, OptionRule>>;

function isSchema(value: unknown): boolean {
  return typeof value === "object" && value !== null && "safeParse" in value && typeof value.safeParse === "function";
}

const types: Readonly<Record<string, string>> = {
  string: "z.string()",
  number: "z.number()",
  boolean: "z.boolean()",
};

function varsHint(value: unknown): string {
  const entries = typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
  if (entries.length === 0) return "Write vars: z.object({ … }), and put values into the inventory or into defaults";
  if (entries.every(([, part]) => isSchema(part)))
    return `Write vars: z.object({ ${entries.map(([name]) => `${name}: …`).join(", ")} })`;
  const shape = entries.map(([name, part]) => `${name}: ${types[typeof part] ?? "…"}`).join(", ");
  return `Write vars: z.object({ ${shape} }), and put the values into the inventory or into defaults`;
}
