import * as fc from "fast-check";
import { absent } from "../../src/authoring.ts";
import { protection } from "./protection.ts";
import { taskKinds } from "./task-kinds.ts";
import { managers } from "../../src/facts/catalogue.ts";

const name = fc.stringMatching(/^[a-z][a-z0-9_-]{0,9}$/);
const hex = (length: number): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom(...Array.from("0123456789abcdef")), { minLength: length, maxLength: length })
    .map((digits) => digits.join(""));
const mode = fc.integer({ min: 0, max: 0o7777 }).map((bits) => bits.toString(8).padStart(4, "0"));
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom("", "\n", "a=b\nc", " x ", "\udcff\0\udc80", "«ü»"),
);
const line = text.map((any) => any.replaceAll(/[\n\0\ud800-\udfff]/g, "").trim());
const anyName = fc.string({ maxLength: 10 });
const micro = fc.integer({ min: 0, max: 2 ** 52 });
const names = fc.uniqueArray(name, { maxLength: 4 }).map((list) => list.toSorted());
const owner = { owner: name, group: name };

const file = fc.constantFrom("file", "directory", "link", "other").chain((type) =>
  fc.record(
    {
      type: fc.constant(type),
      mode,
      ...owner,
      ...(type === "link" && { target: text }),
      ...(type === "file" && { text, sha256: hex(64), size: micro }),
      changed: micro,
    },
    {
      requiredKeys: type === "link" ? ["type", "mode", "owner", "group", "target"] : ["type", "mode", "owner", "group"],
    },
  ),
);
const seen = fc.dictionary(
  fc.oneof(
    name.map((key) => `file:/etc/${key}`),
    text,
  ),
  fc.dictionary(name, hex(8), { maxKeys: 3, noNullPrototype: true }),
  { maxKeys: 3, noNullPrototype: true },
);
const unit = fc
  .record({
    load: fc.constantFrom("loaded", "not-found", "masked", "bad-setting"),
    active: fc.constantFrom("active", "inactive", "failed", "activating", "reloading"),
    sub: name,
    file: fc.constantFrom("enabled", "disabled", "static", "masked", ""),
    type: fc.constantFrom("simple", "oneshot", ""),
    outdated: fc.boolean(),
    reloadable: fc.boolean(),
    refusesStart: fc.boolean(),
    refusesStop: fc.boolean(),
    lasting: fc.boolean(),
    invocation: fc.oneof(hex(32), fc.constant("")),
    since: micro,
    startedWith: seen,
    reloadedWith: seen,
    noted: micro,
    startedBefore: seen,
  })
  .map((value) => ({
    ...value,
    state: ["active", "reloading"].includes(value.active)
      ? "started"
      : value.active === "activating"
        ? "between"
        : "stopped",
    enabled: value.file === "enabled",
    masked: value.load === "masked" || value.file === "masked",
  }));
const user = fc
  .record({ uid: fc.nat(), group: name, groups: names, home: line, shell: line, comment: line })
  .map((value) => ({
    ...value,
    member: Object.fromEntries([value.group, ...value.groups].map((group) => [group, true])),
  }));
const packages = fc.record({
  present: fc.boolean(),
  version: fc.oneof(fc.constant(absent), fc.stringMatching(/^[0-9][\w.+~:-]{0,8}$/)),
  complete: fc.boolean(),
  held: fc.boolean(),
  manual: fc.boolean(),
  providedBy: names,
});
const flags = fc.record(
  Object.fromEntries(
    ["noatime", "nodev", "nodiratime", "noexec", "nosuid", "ro", "sync"].map((flag) => [flag, fc.boolean()]),
  ),
);
const treeEntry = fc.constantFrom("file", "directory", "link", "other").chain((type) =>
  fc.record({
    type: fc.constant(type),
    mode,
    ...owner,
    ...(type === "file" && { sha256: hex(64) }),
    ...(type === "link" && { target: line.map((any) => any || "x") }),
  }),
);
const tree = fc
  .dictionary(fc.oneof(name, fc.constantFrom("a b/c=d", "100%", "x%3Dy", "ü|«", "a'b\"c")), treeEntry, {
    maxKeys: 4,
    noNullPrototype: true,
  })
  .chain((entries) => treeEntry.map((top) => ({ ".": top, ...entries })))
  .map((entries) => ({ entries, names: Object.keys(entries).toSorted((a, b) => (a < b ? -1 : 1)) }));

/** Random values for each kind, keyed by kind name. */
export const arbitraries: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  ...protection,
  ...taskKinds,
  fileTail: fc.oneof(fc.constant(absent), fc.record({ text })),
  filtered: fc.oneof(
    fc.constant(absent),
    fc.record({ sha256: hex(64) }),
    fc.record({ seal: hex(64).map((digits) => `sealed:${digits}`) }),
  ),
  cloudInit: fc.record({ state: fc.constantFrom("absent", "disabled", "running", "done", "failed") }),
  crontab: fc.oneof(fc.constant(absent), fc.record({ text })),
  digest: fc.oneof(
    fc.constant(absent),
    fc.record({ sha256: hex(64), sha512: hex(128), stamped: fc.boolean() }, { requiredKeys: [] }),
  ),
  "disk-content": fc.record({ data: fc.constantFrom("none", "start", "middle", "end"), head: hex(8), tail: hex(8) }),
  "disk-content-full": fc.record({ data: fc.constantFrom("none", "middle"), head: hex(8), tail: hex(8) }),
  diskImage: fc.record({ format: fc.constantFrom("qcow2", "raw"), sizeBytes: micro, hasBacking: fc.boolean() }),
  disks: fc
    .uniqueArray(name, { maxLength: 3 })
    .chain((list) =>
      fc.tuple(
        ...list
          .toSorted()
          .map((disk) => fc.record({ path: fc.constant(`/dev/${disk}`), sizeBytes: micro, serial: line, ids: names })),
      ),
    ),
  entries: fc.oneof(fc.constant(absent), fc.record({ changed: micro })),
  etcdSnapshot: fc.oneof(fc.constant(absent), fc.record({ path: name, bytes: fc.integer({ min: 1, max: 2 ** 40 }) })),
  file: fc.oneof(fc.constant(absent), file),
  group: fc.oneof(fc.constant(absent), fc.record({ gid: fc.nat(), primaryOf: names })),
  host: fc.record({
    hostname: name,
    os: fc
      .record({ id: name, version: fc.constantFrom("12", "15.6", ""), others: names })
      .map(({ id, version, others }) => ({ id, version, like: [id, ...others.filter((other) => other !== id)] })),
    architecture: fc.constantFrom("x86_64", "aarch64"),
    kernel: name,
    processors: fc.integer({ min: 1, max: 512 }),
    memoryBytes: fc.nat().map((kib) => kib * 1024),
    kvm: fc.boolean(),
    addresses: fc.dictionary(
      name,
      fc.array(
        fc.ipV4().map((ip) => `${ip}/24`),
        { minLength: 1, maxLength: 2 },
      ),
      {
        maxKeys: 3,
        noNullPrototype: true,
      },
    ),
  }),
  hostname: name,
  mount: fc.record(
    {
      mounted: fc.boolean(),
      source: line,
      fileSystem: name,
      flags,
      automount: fc.boolean(),
      entries: fc.constantFrom("absent", "none", "some", "unknown"),
    },
    { requiredKeys: ["mounted", "source", "fileSystem", "flags", "automount"] },
  ),
  nftTable: fc.oneof(fc.constant(absent), fc.record({ loaded: hex(64) })),
  package: packages,
  packageDependents: fc.record({ packages: names }),
  packageIndex: fc.record({
    filled: fc.boolean(),
    outdated: fc.boolean(),
    ageMinutes: fc.nat(),
    manager: fc.constantFrom(...managers),
  }),
  packageManager: fc.oneof(fc.constant(absent), fc.record({ name: fc.constantFrom("apt", "zypper", "dnf", "pacman") })),
  packageIndexRenewal: fc.record({ near: fc.boolean() }),
  packagePlan: fc.record({
    installs: names,
    upgrades: names,
    downgrades: names,
    removes: names,
    reason: fc.oneof(fc.constant(absent), name),
    clash: fc.boolean(),
  }),
  packageOffer: fc.record({
    candidate: fc.oneof(fc.constant(absent), name),
    versions: fc.array(name, { maxLength: 3 }),
    providers: names,
  }),
  packageRepo: fc.oneof(
    fc.constant(absent),
    fc.record({
      file: name,
      alone: fc.boolean(),
      settings: fc.dictionary(name, line, { maxKeys: 4, noNullPrototype: true }),
    }),
  ),
  port: fc.record({ open: fc.boolean() }),
  program: fc.oneof(fc.constant(absent), fc.record({ path: name })),
  rebootNeeded: fc.record({ needed: fc.boolean(), because: names }),
  rpmKey: fc.record({ imported: fc.boolean() }),
  sysctl: fc.oneof(fc.constant(absent), line),
  pathResolution: fc.record(
    {
      links: fc.dictionary(line, line, { maxKeys: 3 }),
      mounts: fc.dictionary(anyName, anyName, { maxKeys: 3 }),
      readOnly: anyName,
      unlike: fc.array(anyName, { minLength: 1, maxLength: 3 }),
    },
    { requiredKeys: ["links", "mounts"] },
  ),
  tree: fc.oneof(fc.constant(absent), tree),
  sshKeyFiles: fc.record({ files: names, from: fc.constantFrom("sshd", "config", "unreadable") }),
  unit: fc.oneof(fc.constant(absent), unit),
  unpacked: fc.oneof(fc.constant(absent), fc.record({ archive: name })),
  user: fc.oneof(fc.constant(absent), user),
  userCommand: fc.record({ exitCode: fc.integer({ min: 0, max: 255 }) }),
  mountUse: fc.record({
    uses: fc.array(
      name.map((word) => `process:1:${word}:cwd`),
      { maxLength: 4 },
    ),
  }),
  userUse: fc.record({
    processes: fc.array(
      fc.tuple(name, fc.nat()).map(([program, pid]) => `${program} (${pid})`),
      { maxLength: 4 },
    ),
    guests: names,
  }),
};
