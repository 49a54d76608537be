import { textBeforeBoot } from "../../core/facts/boot.ts";
import {
  type BeforeBoot,
  ask,
  defineKind,
  type Kind,
  type NumberedQuestion,
  printPart,
  type PrintedLines,
} from "../../core/facts/kind.ts";
import { FurrowError } from "../../core/errors.ts";
import { exactly, type HostFact } from "../../core/facts/fact.ts";
import { shellQuote } from "../../core/host/step.ts";
import { isRecord, knownAfterApply } from "../../core/facts/symbols.ts";
import { fstabEntries, fstabField } from "./fstab.ts";
import { treesContaining } from "../files/trees-containing.ts";
import { hiddenFunctions } from "../files/hidden-path.ts";
import { mountPoint } from "../files/path-resolution.ts";

/**
 * The mount flags that can be compared with those in fstab. In a {@link MountState}, true means that the flag is set.
 */
export const mountFlags = ["noatime", "nodev", "nodiratime", "noexec", "nosuid", "ro", "sync"] as const;

/** One of {@link mountFlags}. */
export type MountFlag = (typeof mountFlags)[number];

/** The mount at a path; if several mounts cover each other, the topmost mount. */
export interface MountState {
  readonly mounted: boolean;
  /**
   * The kernel's node for a block device (`/dev/sdb1`), otherwise the source as written: `server:/export`. Empty if
   * nothing is mounted.
   */
  readonly source: string;
  readonly fileSystem: string;
  /** The flags of the mount and of its file system. */
  readonly flags: Readonly<Record<MountFlag, boolean>>;
  /** True if the path is an automount point; reading it would trigger the mount. */
  readonly automount: boolean;
  /**
   * What the directory at the path contains, except `lost+found`; `unknown` if reading could hang, as with network file
   * systems and automount points. Only with the `entries` facet.
   */
  readonly entries?: "absent" | "none" | "some" | "unknown";
  /**
   * The file system that the path resolves to, as a device number, and the path within that file system: `8:1 /data`. A
   * bind mount and its source have the same origin (proc(5), root field of mountinfo). Only with the `origin` facet.
   */
  readonly origin?: string;
}

/** Asks what is mounted at an absolute path. Never accesses a network file system. */
export function mountAt(path: string, facets: readonly ("entries" | "origin")[] = []): HostFact<MountState> {
  return ask(mountKind, path, facets);
}

/**
 * Mounts, from /proc/self/mountinfo (proc(5)). The script accesses no mount, so a dead server cannot make the run hang.
 */
export const mountKind: Kind<MountState> = defineKind<MountState>({
  name: "mount",
  summary: "What is mounted at a path: source, file system, flags",
  facets: {
    entries: "whether the directory there is empty",
    origin: "device number and path within its file system, which are equal for a bind mount and its source",
  },
  read,
  parse(lines, question) {
    const { mounted, flags } = lines;
    if (mounted === undefined || flags === undefined) {
      throw new FurrowError("E_FACT", { what: `${question.key} could not be read: the host returned no data` });
    }
    return {
      mounted: mounted === "yes",
      source: lines["source"] ?? "",
      fileSystem: lines["fs"] ?? "",
      flags: flagRecord((flag) => flags.split(",").includes(flag)),
      automount: lines["automount"] === "yes",
      ...(lines["entries"] !== undefined && { entries: lines["entries"] as NonNullable<MountState["entries"]> }),
      ...(lines["origin"] !== undefined && { origin: lines["origin"] }),
    };
  },
  print: (value, { facets }): PrintedLines => ({
    automount: value.automount ? "yes" : "no",
    ...(value.entries !== undefined && { entries: value.entries }),
    ...(facets.includes("origin") && Object.hasOwn(value, "origin") && { origin: printPart(value, "origin") }),
    flags: mountFlags.filter((flag) => value.flags[flag]).join(","),
    fs: value.fileSystem,
    mounted: value.mounted ? "yes" : "no",
    source: value.source,
  }),
  afterBoot: mountAfterBoot,
  predict(before, wanted) {
    const want: Partial<MountState> = isRecord(wanted) ? wanted : {};
    const unknown = knownAfterApply as never;
    const nothing = flagRecord(() => false);
    const known = typeof before === "symbol" ? undefined : before;
    const automount = known?.automount ?? unknown;
    if (want.mounted === false) {
      return {
        mounted: false,
        source: "",
        fileSystem: "",
        flags: nothing,
        automount: want.automount ?? automount,
        entries: unknown,
        origin: unknown,
      };
    }
    const same = known?.mounted === true && (want.source === undefined || want.source === known.source);
    const base = same
      ? known
      : {
          mounted: true,
          source: unknown,
          fileSystem: unknown,
          automount,
          entries: unknown,
          origin: unknown,
          flags: flagRecord(() => unknown),
        };
    return { ...base, ...want, flags: { ...base.flags, ...want.flags } };
  },
  renamed: mountPoint,
  reroutes: (from, to) =>
    from.mounted !== to.mounted ||
    from.automount !== to.automount ||
    from.source !== to.source ||
    (from.origin ?? "") !== (to.origin ?? ""),
  touches(key, from, to) {
    const here = exactly(key);
    const trees = treesContaining(here);
    return [
      ...((from.source === to.source && from.automount === to.automount) ||
      (from.entries !== "some" && to.entries === "none")
        ? []
        : [`file:${here}`, `file:${here}/**`]),
      ...(from.mounted === to.mounted && from.source === to.source && from.automount === to.automount
        ? []
        : [
            ...trees.map((id) => id.replace("tree:", "mountUse:")),
            `mountUse:${here}/**`,
            ...trees.map((id) => id.replace("tree:", "removal:")),
            `removal:${here}/**`,
            ...trees.slice(1),
          ]),
    ];
  },
});

/** Mount points of the system itself, which do not depend on fstab. */
const systemMounts = /^\/($|(proc|sys|dev|run|tmp|boot|efi)(\/|$))/;

/**
 * Predicts a mount after a reboot: fstab(5) entries without `noauto` are mounted, and everything that was mounted by
 * hand is not.
 */
function mountAfterBoot(key: string, value: MountState, before: BeforeBoot): MountState {
  if (systemMounts.test(key)) return value;
  const text = textBeforeBoot("/etc/fstab", before);
  const unknown = knownAfterApply as never;
  const open = { mounted: unknown, source: unknown, fileSystem: unknown, flags: flagRecord(() => unknown) };
  const all = {
    ...value,
    ...open,
    ...(value.automount && { automount: unknown }),
    ...(value.entries !== undefined && { entries: unknown }),
    ...origin(value, unknown),
  };
  if (text === undefined) return all;
  const options = fstabEntries(text, key).at(-1)?.options.split(",");
  if (options?.some((option) => option.startsWith("x-systemd.automount")) === true)
    return { ...all, automount: unknown };
  if (options === undefined || options.includes("noauto")) {
    if (!value.mounted && !value.automount && (value.mounted as unknown) !== knownAfterApply) return value;
    return { ...all, mounted: false, source: "", fileSystem: "", flags: flagRecord(() => false) };
  }
  return value.mounted && (value.mounted as unknown) !== knownAfterApply ? value : { ...all, mounted: true };
}

function origin(value: MountState, unknown: never): Partial<MountState> {
  return value.origin === undefined ? {} : { origin: unknown };
}

function flagRecord(has: (flag: MountFlag) => boolean): Record<MountFlag, boolean> {
  return Object.fromEntries(mountFlags.map((flag) => [flag, has(flag)])) as Record<MountFlag, boolean>;
}

/**
 * The flags that are set or cleared by a list of mount options in fstab, such as `defaults,noatime`. Other options are
 * ignored.
 */
export function flagsOf(options: string): Partial<Record<MountFlag, boolean>> {
  const flags: Partial<Record<MountFlag, boolean>> = {};
  for (const option of options.split(",")) {
    if (option === "defaults")
      Object.assign(flags, { ro: false, nosuid: false, nodev: false, noexec: false, sync: false });
    else if (mountFlags.includes(option as MountFlag)) flags[option as MountFlag] = true;
    else if (option in opposite) flags[opposite[option as keyof typeof opposite]] = false;
  }
  return flags;
}

const opposite = {
  atime: "noatime",
  relatime: "noatime",
  strictatime: "noatime",
  dev: "nodev",
  diratime: "nodiratime",
  exec: "noexec",
  suid: "nosuid",
  rw: "ro",
  async: "sync",
} as const satisfies Readonly<Record<string, MountFlag>>;

function read(questions: readonly NumberedQuestion[]): string {
  const having = questions.filter(({ facets }) => facets.includes("entries")).map(({ number }) => number);
  const traced = questions.filter(({ facets }) => facets.includes("origin")).map(({ number }) => number);
  const words = questions.flatMap(({ number, key }) => [String(number), key, fstabField(key)]).map(shellQuote);
  return `${hiddenFunctions}
look() {
mounted=no automount=no source= fs= flags=
while read -r z z dev z point opts rest; do
[ "$point" = "$1" ] || continue
set -f; set -- "$1" \${rest#*- }; set +f
if [ "$2" = autofs ]; then automount=yes; continue; fi
mounted=yes fs=$2 source=$3 flags=$opts,$4
case $dev in
0:*) case $3 in /dev/*) source=$(readlink -f -- "$3");; esac;;
*) y=$(readlink -f "/sys/dev/block/$dev") && source=/dev/$(echo "\${y##*/}" | tr '!' /);;
esac
done < /proc/self/mountinfo
}
origin() {
f=$(timeout 5 readlink -f -- "$1"); f=\${f:-$1} o=
case $f in *[' \\	']*) f=$(printf %s "$f" | sed 's/\\\\/\\\\134/g;s/ /\\\\040/g;s/	/\\\\011/g');; esac
while read -r z z dev root point z; do
p=\${point%/}
case $f/ in "$p"/*) r=\${f#"$p"}; o="$dev \${root%/}$r"; [ "\${root%/}$r" ] || o="$dev /";; esac
done < /proc/self/mountinfo
echo "$n origin=$o"
}
set -- ${words.join(" ")}
while [ $# -gt 0 ]; do n=$1 key=$2
look "$3"; shift 3
if [ $mounted$automount = nono ]; then
real=$(timeout 5 readlink -f -- "$key")
case $real in ''|"$key") ;; *) look "$real";; esac
fi
have=
for f in $(set -f; echo "$flags" | tr ',' '\\n' | sort -u); do
case $f in ${mountFlags.join("|")}) have=$have\${have:+,}$f;; esac; done
echo "$n automount=$automount"
case ' ${having.join(" ")} ' in *" $n "*)
case $automount$fs in yes*|nonfs*|nocifs|nosmb*|no9p|nofuse.*|noceph|noglusterfs|noafs) e=unknown;;
*) if [ ! -e "$key" ]; then hidden "$n" "$key" && continue; e=absent
elif [ -d "$key" ] && [ ! -r "$key" ]; then shut "$n" "$key"; continue
elif [ ! -d "$key" ] || timeout 10 ls -A -- "$key" | grep -qvx lost+found; then e=some
else e=none; fi;; esac
echo "$n entries=$e";; esac
case ' ${traced.join(" ")} ' in *" $n "*) origin "$key";; esac
printf '%s\\n' "$n flags=$have" "$n fs=$fs" "$n mounted=$mounted" "$n source=$source"
done`;
}
