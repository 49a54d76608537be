import { withoutCollection } from "./other-modules.ts";

/** Param values of other tools, and what to do in furrow for the same effect. */
const values: Readonly<Record<string, string>> = {
  restarted: 'Set state: "started", and list in restartOn the tasks whose changes require a restart',
  reloaded: 'Set state: "started", and list in reloadOn the tasks whose changes require a reload',
  touch: 'Set state: "file" and content: "", or use a command with creates',
  hard: 'Use a command: furrow creates symbolic links only, with state: "link"',
};

/** Param names of other tools, and the names for the same thing in furrow, most likely first. */
const names: Readonly<Record<string, readonly string[]>> = {
  cmd: ["command"],
  day: ["schedule"],
  dest: ["path", "to"],
  hour: ["schedule"],
  location: ["region"],
  minute: ["schedule"],
  month: ["schedule"],
  regexp: ["match"],
  region: ["location"],
  special_time: ["schedule"],
  src: ["source", "archive", "to"],
  timeout: ["deadlineSeconds", "timeoutSeconds"],
  to: ["path"],
  weekday: ["schedule"],
};

/** Names of Ansible's modules, and other words for tasks, that furrow does not use, with the tasks that do the same. */
const tasks: Readonly<Record<string, string>> = {
  apt: "package",
  apt_key: "packageRepo",
  apt_repository: "packageRepo",
  authorized_key: "authorizedKey",
  blockinfile: "fileBlock",
  copy: "file",
  deb822_repository: "packageRepo",
  directory: "file",
  dnf: "package",
  exec: "command",
  fail: "assert",
  filesystem: "disk",
  get_url: "download",
  iptables: "nftables",
  lineinfile: "fileLine",
  parted: "disk",
  replace: "fileLine",
  run: "command",
  script: "command",
  shell: "command",
  symlink: "file",
  synchronize: "directoryTree",
  systemd: "service",
  systemd_service: "service",
  template: "file",
  uri: "httpWait",
  wait_for: "waitFor",
  wait_for_connection: "waitFor",
  yum: "package",
  yum_repository: "packageRepo",
  zypper: "package",
};

/** The task that does what one of Ansible's modules does; undefined for other names. */
export function taskLike(name: string): string | undefined {
  const short = withoutCollection(name);
  return Object.hasOwn(tasks, short) ? tasks[short] : undefined;
}

/** The hint for a param value that Ansible accepts and furrow does not; undefined for other values. */
export function hintForValue(value: unknown): string | undefined {
  return typeof value === "string" && Object.hasOwn(values, value) ? values[value] : undefined;
}

/** The known param or var that means the same as this name in another tool; undefined if no known name does. */
export function paramLike(name: string, known: readonly string[]): string | undefined {
  return Object.hasOwn(names, name) ? names[name]?.find((own) => known.includes(own)) : undefined;
}
