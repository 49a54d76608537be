import {
  blockDevice,
  crontab,
  disks,
  file,
  group,
  hostFacts,
  mountAt,
  packageState,
  program,
  task,
  tree,
  unit,
  user,
  z,
} from "../../src/authoring.ts";
import { nftTable, runningHostname, sysctlValue } from "../../src/facts/catalogue.ts";

const names = {
  users: ["root", "daemon", "ana", "ben", "olduser"],
  groups: ["root", "adm", "truth", "oldgroup", "ben"],
  jobs: ["root", "ana", "olduser"],
  files: [
    "/etc/passwd",
    "/etc/group",
    "/etc/shadow",
    "/etc/hosts",
    "/etc/hostname",
    "/etc/fstab",
    "/etc/crontab",
    "/etc/nftables.conf",
    "/etc/apt/sources.list",
    "/etc/systemd/system/multi-user.target.wants/new.service",
    "/etc/systemd/system/multi-user.target.wants/steady.service",
    "/etc/systemd/system/multi-user.target.wants/unwanted.service",
    "/etc/systemd/system/masked.service",
    "/mnt/data",
    "/mnt/memory",
    "/mnt/memory/file",
    "/srv/truth",
    "/srv/truth/site",
    "/srv/stale/deep",
    "/home/ana",
    "/home/ana/.ssh",
    "/home/olduser",
    "/var/spool/cron/crontabs",
    "/var/spool/cron/crontabs/root",
    "/usr/bin/zip",
    "/usr/bin/nano",
  ],
  trees: ["/etc/systemd/system", "/etc/cron.d", "/home", "/srv", "/mnt/data", "/mnt/memory", "/opt", "/root"],
  units: ["cron", "ssh", "nftables", "new", "steady", "unwanted", "masked", "systemd-journald", "mnt-data.mount"],
  packages: ["adduser", "cron", "curl", "nano", "tree", "zip"],
  programs: ["sh", "curl", "nano", "tree", "zip"],
  sysctls: ["net.ipv4.ip_forward", "net.ipv4.conf.default.rp_filter", "vm.swappiness"],
  mounts: ["/", "/mnt/data", "/mnt/used", "/mnt/memory"],
} as const;

/**
 * A task that has no wants, but asks about many facts. The task shows that no other task in its play changes any of
 * these facts without declaring the change.
 */
export const bystander = task({
  name: "bystander",
  summary: "Look on",
  params: z.strictObject({ devices: z.array(z.string()).describe("Block devices to inspect") }),
  examples: [],
})
  .facts(({ devices }) => ({
    users: names.users.map((name) => user(name, ["password"])),
    groups: names.groups.map((name) => group(name)),
    jobs: names.jobs.map((name) => crontab(name)),
    files: names.files.map((path) => file(path, ["sha256"])),
    trees: names.trees.map((path) => tree(path)),
    units: names.units.map((name) => unit(name)),
    packages: names.packages.map((name) => packageState(name)),
    programs: names.programs.map((name) => program(name)),
    sysctls: names.sysctls.map((key) => sysctlValue(key)),
    mounts: names.mounts.map((path) => mountAt(path)),
    devices: devices.map((device) => blockDevice(device, ["layout"])),
    table: nftTable("inet", "truth", false),
    hostname: runningHostname(),
    disks: disks(),
    host: hostFacts(),
  }))
  .want(() => ({}))
  .steps(() => []);
