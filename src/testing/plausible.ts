import { debianFolders, debianGroup, debianSysctls, debianTexts, debianUser, newUser } from "./debian.ts";
import type { Question } from "../core/facts/fact.ts";
import { kindOf } from "../core/facts/kind.ts";
import { absent, isRecord, knownAfterApply } from "../core/facts/symbols.ts";
import { changedLater } from "../core/facts/watched.ts";
import { etcdSnapshotFolder } from "../facts/system/etcd-snapshot.ts";

/** Default values of facts that a test does not mention. The simulated host is a small Debian, as root sees it. */
const blanks: Readonly<Record<string, (key: string) => unknown>> = {
  caStore: () => ({ layout: "debian", outdated: false }),
  caTrust: () => ({ trusted: false }),
  chronyTracking: () => ({ synchronized: true, source: "192.0.2.123", offset: 0, problem: "" }),
  cloudInit: () => ({ state: "absent" }),
  disks: () => [],
  group: debianGroup,
  grubParameter: () => ({
    program: "update-grub",
    config: "/boot/grub/grub.cfg",
    entries: 1,
    right: false,
    running: "",
    later: [],
  }),
  host: () => ({
    hostname: "simulated",
    os: { id: "debian", version: "12", like: ["debian"] },
    architecture: "x86_64",
    kernel: "6.1.0",
    processors: 4,
    memoryBytes: 8 * 2 ** 30,
    kvm: true,
    addresses: {},
  }),
  hostHttp: () => ({
    error: { code: "simulated", message: "the test has no answer: provide one with drivers: { http: (request) => … }" },
  }),
  hostname: () => "simulated",
  imageUses: () => ({ uses: [], lost: [] }),
  kernelModule: () => ({
    state: "unloaded",
    kernel: "6.1.0",
    listed: true,
    locked: false,
    holders: [],
    references: 0,
    parameters: {},
    interfaces: [],
    disks: [],
    staleInitramfs: "",
  }),
  kernelModuleRules: () => ({ rules: [] }),
  libvirt: () => ({ daemon: "up", problem: "", networks: {}, domains: {}, links: {} }),
  mount: () => ({ mounted: false, source: "", fileSystem: "", flags: {}, automount: false, entries: "none" }),
  access: (key) => ({ at: key, write: true, root: true }),
  mountUse: () => ({ uses: [] }),
  networkState: () => ({
    renderers: ["networkd"],
    resolvers: ["resolved"],
    systemd: true,
    armed: false,
    connection: "eth0",
    address: "",
    defaults: ["eth0"],
    links: {},
    foreign: {},
  }),
  package: () => ({ present: false, version: absent, complete: true, held: false, manual: true, providedBy: [] }),
  packageDependents: () => ({ packages: [] }),
  packageIndex: (key) => ({
    filled: true,
    outdated: false,
    ageMinutes: 0,
    manager: key === "host" ? "apt" : key,
  }),
  packageManager: () => ({ name: "apt" }),
  packageIndexRenewal: () => ({ near: true }),
  packagePlan: () => ({ installs: [], upgrades: [], downgrades: [], removes: [], reason: absent, clash: false }),
  packageOffer: () => ({ candidate: "1.0", versions: ["1.0"], providers: [] }),
  port: () => ({ open: true }),
  program: (name) => ({ path: name.startsWith("/") ? name : `/usr/bin/${name}` }),
  rebootNeeded: () => ({ needed: false, because: [] }),
  rpmKey: () => ({ imported: false }),
  sshKeyFiles: () => ({ files: [".ssh/authorized_keys", ".ssh/authorized_keys2"], from: "sshd" }),
  sysctl: (key) => (Object.hasOwn(debianSysctls, key) ? debianSysctls[key] : absent),
  user: debianUser,
  unitInstances: () => ({ names: [] }),
  userUse: () => ({ processes: [], guests: [] }),
  userCommand: () => ({ exitCode: 1 }),
};

/**
 * The value of a fact that has not been set: the default in {@link blanks}, a folder or file that every Debian host has
 * at that path, or else `absent`.
 */
export function blankValue({ kind, key }: Pick<Question, "kind" | "key">): unknown {
  if (kind === "file" && debianFolders.has(key)) {
    return { type: "directory", mode: "0755", owner: "root", group: "root", changed: 0 };
  }
  const text = kind === "file" && Object.hasOwn(debianTexts, key) ? debianTexts[key] : undefined;
  if (text !== undefined) return wholeValue(`file:${key}`, { text });
  return Object.hasOwn(blanks, kind) ? blanks[kind]?.(key) : absent;
}

/** Usual values for those parts of an existing object that neither the want nor the test specifies. */
const usual: Readonly<Record<string, (key: string, known: Readonly<Record<string, unknown>>) => object>> = {
  file: (_key, { type = "file" }) => ({
    type,
    mode: type === "directory" ? "0755" : "0644",
    owner: "root",
    group: "root",
    ...(type === "link" && { target: "" }),
  }),
  etcdSnapshot: (key) => ({ path: `${etcdSnapshotFolder}/${key}-simulated-0`, bytes: 1 }),
  group: () => ({ gid: 1000, primaryOf: [] }),
  hostHttp: (_key, { error }) => (error === undefined ? { status: 200, body: "", headers: {} } : {}),
  libvirtDomain: () => ({ reason: "", checkpoints: [], disks: {}, interfaces: {} }),
  package: (_key, { present }) => ({ ...blankPackage, ...(present === true && { version: "1.0" }) }),
  unit: (_key, { state = "stopped", enabled = false, masked = false }) => ({
    load: masked === true ? "masked" : "loaded",
    active: state === "started" ? "active" : "inactive",
    sub: state === "started" ? "running" : "dead",
    file: masked === true ? "masked" : enabled === true ? "enabled" : "disabled",
    type: "simple",
    state,
    enabled,
    masked,
    outdated: false,
    reloadable: true,
    refusesStart: false,
    refusesStop: false,
    lasting: true,
    invocation: state === "started" ? "simulated" : "",
    since: 0,
    startedWith: {},
    reloadedWith: {},
    noted: 0,
    startedBefore: {},
  }),
  packageIndex: (key) => blanks["packageIndex"]?.(key) as object,
  user: (key) => newUser(key),
};

const blankPackage = { present: false, version: absent, complete: true, held: false, providedBy: [] };

/**
 * A value without unknown parts: an unknown part gets the usual value for its kind, or is left out. `now` is the time
 * of the change, in microseconds since the epoch.
 */
export function plausible({ kind, key }: Pick<Question, "kind" | "key">, value: unknown, now: number): unknown {
  if (value === knownAfterApply) return blankValue({ kind, key });
  const dated = withoutHoles(value, now);
  if (!isRecord(dated) || !Object.hasOwn(usual, kind)) return dated;
  return { ...usual[kind]?.(key, dated), ...dated };
}

function withoutHoles(value: unknown, now: number): unknown {
  if (value === changedLater) return now;
  if (Array.isArray(value))
    return value.filter((part) => part !== knownAfterApply).map((part) => withoutHoles(part, now));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, part]) => part !== knownAfterApply && part !== undefined)
      .map(([name, part]) => [name, withoutHoles(part, now)]),
  );
}

/**
 * Completes a value from a test: a file's text gets its hash and size, and a unit's state gets everything that belongs
 * to it.
 */
export function wholeValue(id: string, given: unknown): unknown {
  const at = id.indexOf(":");
  const question = { kind: id.slice(0, at), key: id.slice(at + 1) };
  if (!isRecord(given)) return given;
  const { predict } = kindOf(question.kind);
  const type = question.kind === "file" ? { type: "file" } : {};
  const wanted = { ...type, ...given };
  const value = predict ? predict(absent, wanted, { user: "root" }) : wanted;
  return plausible(question, { ...(value as object), ...(isRecord(value) ? given : {}) }, 0);
}
