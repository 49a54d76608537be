import { staysOverBoot } from "../../core/facts/boot.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind, type Lines } from "../../core/facts/kind.ts";
import { shellQuote } from "../../core/host/step.ts";
import { type Absent, absent } from "../../core/facts/symbols.ts";
import { outdatedIndex } from "./package-places.ts";

/** A zypper or dnf repository as its `.repo` file describes it. */
export interface RepoSection {
  /** The file that contains the repository. */
  readonly file: string;
  /** True if the file contains no other repository. */
  readonly alone: boolean;
  /** The repository's settings as written: `baseurl`, `enabled`, `gpgcheck` … */
  readonly settings: Readonly<Record<string, string>>;
}

/** The folders that contain `.repo` files. */
export const repoFolders = { zypper: "/etc/zypp/repos.d", dnf: "/etc/yum.repos.d" } as const;

/** Asks about a zypper or dnf repository by its alias. */
export function repoSection(manager: keyof typeof repoFolders, alias: string): HostFact<Absent | RepoSection> {
  return ask(repoSectionKind, `${manager}/${alias}`);
}

/** Zypper and dnf repositories, read from their files by one awk process per folder, without starting zypper or dnf. */
export const repoSectionKind = defineKind<Absent | RepoSection>({
  name: "packageRepo",
  afterBoot: staysOverBoot,
  summary: "A zypper or dnf repository, as its .repo file describes it",
  facets: {},
  read: (questions) =>
    Object.entries(repoFolders)
      .map(([manager, folder]) => {
        const own = questions.filter(({ key }) => key.startsWith(`${manager}/`));
        const asked = own.map(({ number, key }) => `${number}:${key.slice(manager.length + 1)}`).join(" ");
        return own.length === 0
          ? ""
          : `w=${shellQuote(asked)}; set -- ${folder}/*.repo; [ -e "$1" ] || set -- /dev/null\n${awk}`;
      })
      .filter(Boolean)
      .join("\n"),
  parse(lines) {
    const { file } = lines;
    if (!file) return absent;
    const settings = Object.entries(lines).flatMap(([name, value]) =>
      name.startsWith("set.") ? [[name.slice("set.".length), value]] : [],
    );
    return { file, alone: lines["alone"] === "yes", settings: Object.fromEntries(settings) as Record<string, string> };
  },
  print(value): Lines {
    if (value === absent) return { file: "" };
    const { file, alone, settings } = value;
    const set = Object.entries(settings).map(([name, text]) => [`set.${name}`, text]);
    return { alone: alone ? "yes" : "no", file, ...(Object.fromEntries(set) as Record<string, string>) };
  },
  touches: () => ["packageOffer:**", "packagePlan:**"],
  implies: (key) => [outdatedIndex(key.slice(0, key.indexOf("/")))],
});

const awk = String.raw`awk -v w="$w" '
BEGIN { n = split(w, asked, " "); for (i = 1; i <= n; i++) { c = index(asked[i], ":"); at[substr(asked[i], c + 1)] = substr(asked[i], 1, c - 1) } }
/^\[.*\] *$/ { s = $0; gsub(/^\[|\] *$/, "", s); count[FILENAME]++; if (s in at) file[s] = FILENAME; k = ""; next }
/^[#;]/ || /^[ \t]*$/ || !(s in at) || file[s] != FILENAME { next }
/^[ \t]/ { if (k != "") { v = $0; gsub(/^[ \t]+|[ \t]+$/, "", v); set[s, k] = set[s, k] " " v } next }
{ e = index($0, "="); if (!e) next; k = substr($0, 1, e - 1); v = substr($0, e + 1); gsub(/^[ \t]+|[ \t]+$/, "", k); gsub(/^[ \t]+|[ \t]+$/, "", v)
  if (!((s, k) in set)) names[s] = names[s] " " k; set[s, k] = v }
END { for (s in at) { if (!(s in file)) { print at[s] " file="; continue }
  print at[s] " file=" file[s]
  print at[s] " alone=" (count[file[s]] == 1 ? "yes" : "no")
  m = split(names[s], o, " "); for (j = 1; j <= m; j++) print at[s] " set." o[j] "=" set[s, o[j]] } }' "$@" | sort`;
