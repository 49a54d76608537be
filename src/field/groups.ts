import type { FieldReport } from "./format.ts";

/** A group of facts, as a user sees it before a report is written. */
export interface Group {
  readonly name: string;
  /** The group's contents, on one line. */
  readonly about: string;
  /** What the facts are about, sorted: `package nginx`. */
  readonly things: readonly string[];
}

interface Sort {
  readonly name: string;
  readonly about: string;
  readonly kinds: readonly string[];
}

const sorts: readonly Sort[] = [
  {
    name: "packages",
    about: "the installed and the available versions of the roles' packages",
    kinds: [
      "package",
      "packageOffer",
      "packagePlan",
      "packageIndex",
      "packageIndexRenewal",
      "packageManager",
      "packageDependents",
    ],
  },
  {
    name: "units",
    about: "whether the roles' units exist and are running",
    kinds: ["unit", "cloudInit", "rebootNeeded"],
  },
  {
    name: "confinement",
    about: "the path rules of AppArmor's profiles, and SELinux labels",
    kinds: ["apparmorProfile", "selinuxLabel"],
  },
  { name: "firewall", about: "what firewalld allows", kinds: ["firewalld", "nftTable"] },
  {
    name: "host",
    about: "the operating system, processors, memory, KVM, addresses; no host name",
    kinds: ["host", "hostname"],
  },
  {
    name: "virtualization",
    about: "libvirt's networks and machines",
    kinds: ["libvirt", "libvirtNet", "libvirtDomain", "imageUses"],
  },
  {
    name: "disks",
    about: "sizes, tables, file systems and mounts; no serial numbers, no content",
    kinds: ["block-device", "disk-content", "disk-content-full", "disks", "diskImage", "mount", "mountUse"],
  },
  {
    name: "files",
    about:
      "type, owner and mode of the roles' files, keyed hashes of their content; fstab and furrow's own notes, line by line",
    kinds: ["file", "entries", "digest", "tree", "pathResolution", "access"],
  },
  {
    name: "logs",
    about: "the last lines of the nodes' consoles and of nginx's log of requests from nodes",
    kinds: ["fileTail"],
  },
  {
    name: "network",
    about: "whether ports answer, and the servers' responses to the host",
    kinds: ["port", "hostHttp"],
  },
  { name: "accounts", about: "the accounts that the roles use", kinds: ["user", "group", "userUse", "crontab"] },
  { name: "programs", about: "the paths of programs, and exit codes", kinds: ["program", "userCommand", "sysctl"] },
];
const others: Sort = { name: "other facts", about: "other answers from the host", kinds: [] };

/** Lists everything that a report contains, by group. */
export function contentsOf(report: FieldReport): Group[] {
  const things = new Map<Sort, string[]>();
  for (const id of Object.keys(report.facts)) {
    const at = id.indexOf(":");
    const sort = sorts.find(({ kinds }) => kinds.includes(id.slice(0, at))) ?? others;
    things.set(sort, [...(things.get(sort) ?? []), `${id.slice(0, at)} ${shortened(id.slice(at + 1))}`]);
  }
  const host = [...sorts, others].flatMap((sort): Group[] => {
    const found = things.get(sort);
    return found === undefined ? [] : [{ name: sort.name, about: sort.about, things: found.toSorted() }];
  });
  return [
    ...host,
    ...group(
      "answers",
      "the web servers' responses to the controller about the boot artifacts",
      Object.keys(report.answers),
    ),
    ...group("vars", "the cluster's vars, without secrets", Object.keys(report.vars)),
    ...group(
      "left out",
      "not in the report: whether a program such as nginx accepts a new file, because its answer quotes that file",
      report.leftOut,
    ),
    ...group("unread", "facts that could not be read, with the code of the error", Object.keys(report.unread)),
  ];
}

/** Shortens a group's list: several things in the same folder become one entry with a count, `/etc/nginx/ (7)`. */
export function foldedThings(things: readonly string[]): string[] {
  const folderOf = (thing: string): string | undefined => /^\S+ (\/(?:.*\/)?)[^/]+$/.exec(thing)?.[1];
  const counts = new Map<string, number>();
  for (const folder of things.map(folderOf)) {
    if (folder !== undefined) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const shown = things.map((thing) => {
    const folder = folderOf(thing);
    const count = folder === undefined ? 0 : (counts.get(folder) ?? 0);
    return folder === undefined || count === 1 ? thing : `${folder} (${count})`;
  });
  return [...new Set(shown)];
}

function group(name: string, about: string, things: readonly string[]): Group[] {
  return things.length === 0 ? [] : [{ name, about, things: things.map(shortened).toSorted() }];
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
