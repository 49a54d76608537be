/** A command's flag or positional. */
export interface Flag {
  readonly type: "boolean" | "string" | "positional";
  readonly description: string;
  readonly alias?: string;
  readonly valueHint?: string;
  readonly required?: boolean;
  /** True for a positional that takes several words. Only the last positional may take several words. */
  readonly many?: boolean;
}

/** Flags by name. */
export type Flags = Readonly<Record<string, Flag>>;

const inventory = {
  inventory: {
    type: "string",
    alias: "i",
    valueHint: "INVENTORY",
    description:
      "An inventory file, an Ansible inventory, a list of hosts (web1,web2 or web1,), or local; may be repeated",
  },
  refresh: { type: "boolean", description: "Query inventory sources again, and ignore cached answers" },
  "vault-password-file": {
    type: "string",
    valueHint: "FILE",
    description: "A file with an Ansible Vault password, or a program that prints it; may be repeated",
  },
} as const satisfies Flags;

const connection = {
  user: { type: "string", alias: "u", valueHint: "USER", description: "Connect as this user" },
  "private-key": { type: "string", valueHint: "FILE", description: "Use this private key" },
  "ask-pass": { type: "boolean", alias: "k", description: "Ask for the connection password" },
  "ask-become-pass": { type: "boolean", alias: "K", description: "Ask for the password of sudo, su or doas" },
  "become-password-file": { type: "string", valueHint: "FILE", description: "Read the become password from a file" },
} as const satisfies Flags;

const json = {
  json: { type: "boolean", description: "Print JSON on stdout, everything else on stderr" },
} as const satisfies Flags;

const choice = {
  limit: { type: "string", alias: "l", valueHint: "PATTERN", description: "Only hosts that match this pattern" },
  tags: { type: "string", alias: "t", valueHint: "TAGS", description: "Only tasks with one of these tags, a,b" },
  "skip-tags": { type: "string", valueHint: "TAGS", description: "Skip tasks with one of these tags" },
  var: {
    type: "string",
    alias: "e",
    valueHint: "NAME=VALUE",
    description: "Set a var, or @file.yaml; may be repeated",
  },
} as const satisfies Flags;

const playbook = {
  playbook: { type: "positional", required: true, description: "A playbook file" },
} as const satisfies Flags;

const playbooks = {
  playbook: { type: "positional", required: true, description: "Playbook files", many: true },
} as const satisfies Flags;

const becoming = {
  become: { type: "boolean", alias: "b", description: "Become root, or the inventory's become user" },
} as const satisfies Flags;

const types = {
  "no-types": { type: "boolean", description: "Do not check the types of the playbook's files" },
} as const satisfies Flags;

const running = {
  diff: { type: "boolean", alias: "D", description: "Show changed text as a diff" },
  verify: { type: "boolean", description: "Hash large files on hosts again, and ignore the hashes cached there" },
  "start-at": {
    type: "string",
    valueHint: "TASK",
    description: "Start at the task with this title; * matches anything",
  },
  "wait-lock": {
    type: "string",
    valueHint: "SECONDS",
    description: "How long to wait for hosts that another run holds; default: do not wait",
  },
  "reconnect-timeout": {
    type: "string",
    valueHint: "SECONDS",
    description: "How long to try to reconnect after a lost connection; default 300",
  },
  "stall-timeout": {
    type: "string",
    valueHint: "SECONDS",
    description: "How long a host may be silent before furrow asks whether it is still working; default 120",
  },
  forks: { type: "string", alias: "f", valueHint: "N", description: "At most N hosts at a time; default: all" },
  "confirm-within": {
    type: "string",
    valueHint: "SECONDS",
    description:
      "Let the host revert a change to its SSH server, network, firewall or sudo after this many seconds (20 to 3600), unless it is confirmed over a new connection",
  },
  verbose: {
    type: "boolean",
    alias: "v",
    description: "Also show unchanged tasks, each step, and the output of steps",
  },
  "no-fold": { type: "boolean", description: "Show each host separately, even if many have the same result; for logs" },
  profile: { type: "boolean", description: "Show at the end how the time was spent" },
  "exit-code": { type: "boolean", description: "With --check: exit 2 if something would change" },
} as const satisfies Flags;

const policy = {
  "print-policy": {
    type: "boolean",
    description:
      "In check mode: print the cloud permissions that the run needs, and do not ask whether they are granted",
  },
} as const satisfies Flags;

/** The flags of each command. */
export const flagsOf = {
  run: {
    ...playbook,
    ...inventory,
    check: { type: "boolean", alias: "C", description: "Show what a run would do, and change nothing" },
    ...policy,
    yes: { type: "boolean", description: "Do not ask for confirmation before data is lost" },
    "one-by-one": { type: "boolean", description: "Do not read or send ahead; slower, same result" },
    paranoid: { type: "boolean", description: "Fail if a step changes anything that its task does not declare; slow" },
    ...running,
    ...choice,
    ...types,
    ...connection,
    ...json,
  },
  check: {
    ...playbook,
    ...inventory,
    ...policy,
    ...running,
    ...choice,
    ...types,
    ...connection,
    ...json,
  },
  list: {
    ...playbook,
    ...inventory,
    ...choice,
    "no-fold": { type: "boolean", description: "Show each task title and host name, even if there are many; for logs" },
    ...types,
    ...json,
  },
  validate: { ...playbooks, ...inventory, ...choice, ...types, ...json },
  inventory: {
    ...inventory,
    host: { type: "string", valueHint: "HOST", description: "Show all merged values of a host with their origin" },
    list: { type: "boolean", description: "Show hosts and groups; the default" },
    graph: { type: "boolean", description: "Show nested groups, and the hosts of each" },
    format: { type: "string", valueHint: "FORMAT", description: "ansible: JSON as ansible-inventory --list prints it" },
    limit: choice.limit,
    var: choice.var,
    ...json,
  },
  facts: {
    host: { type: "positional", required: true, description: "A host pattern" },
    ...inventory,
    ...becoming,
    limit: choice.limit,
    ...connection,
    ...json,
  },
  exec: {
    pattern: { type: "positional", required: true, description: "A host pattern" },
    ...inventory,
    ...becoming,
    limit: choice.limit,
    forks: running.forks,
    timeout: {
      type: "string",
      valueHint: "SECONDS",
      description: "Stop the command after this many seconds; default 1800",
    },
    ...connection,
    ...json,
  },
  ping: {
    pattern: { type: "positional", required: false, description: "A host pattern; default: all" },
    ...inventory,
    ...becoming,
    limit: choice.limit,
    forks: running.forks,
    ...connection,
    ...json,
  },
  doctor: {
    subject: { type: "positional", required: true, description: "What to report on: harvester" },
    host: { type: "positional", required: true, description: "A host" },
    ...inventory,
    to: {
      type: "string",
      valueHint: "FILE",
      description: "Where to write the report; default SUBJECT-field-report.json",
    },
    yes: { type: "boolean", description: "Do not ask before the report is written" },
    force: { type: "boolean", description: "Replace the file if it exists" },
    verbose: { type: "boolean", alias: "v", description: "List each file in the report, not only a count per folder" },
    var: choice.var,
    ...connection,
    ...json,
  },
  doc: {
    task: { type: "positional", required: false, description: "The name of a task, or the file of a playbook" },
    ...json,
  },
  lab: {
    verb: { type: "positional", required: true, description: "up, list or down" },
    hosts: { type: "positional", required: false, description: "up: how many hosts; default 1" },
    name: { type: "string", valueHint: "NAME", description: "Which lab; default lab" },
    libvirt: { type: "boolean", description: "up: with libvirt inside" },
    disks: { type: "string", valueHint: "N", description: "up: data disks per host; default 0" },
    replace: { type: "boolean", description: "up: remove a lab with that name first" },
    all: { type: "boolean", description: "down: every lab" },
    ...json,
  },
} as const satisfies Readonly<Record<string, Flags>>;

/** The name of a command. */
export type CommandName = keyof typeof flagsOf;
