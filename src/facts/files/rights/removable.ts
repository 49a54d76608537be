import { type Removable, removableBy, removableKindName } from "../../../core/facts/access.ts";
import { FurrowError } from "../../../core/errors.ts";
import type { HostFact } from "../../../core/facts/fact.ts";
import { ask, defineKind, type NumberedQuestion } from "../../../core/facts/kind.ts";
import { shellQuote } from "../../../core/host/step.ts";
import { atPath } from "../path-resolution.ts";

/** Asks whether everything below a directory can be removed, by `user` or by the session's user. */
export function removable(path: string, user?: string): HostFact<Removable> {
  return ask(removableKind, removableBy(user, path).key);
}

/** The time limit in seconds for walking a directory. */
const walkSeconds = 90;

/**
 * For each directory in its arguments, prints why the user cannot remove its entries. Starts a
 * process only for entries of another user's sticky directory.
 */
const perDirectory = String.raw`for d; do
[ -r "$d" ] || { printf "shut=%s\n" "$d"; continue; }
set -- "$d"/* "$d"/.[!.]* "$d"/..?*
[ "$1" != "$d/*" ] || [ "$2" != "$d/.[!.]*" ] || [ "$3" != "$d/..?*" ] || continue
[ -w "$d" ] && [ -x "$d" ] || { printf "denied=%s\n" "$d"; continue; }
[ -k "$d" ] && [ ! -O "$d" ] || continue
u=$(id -u)
for f; do
[ -e "$f" ] || [ -L "$f" ] || continue
[ "$(stat -c %u -- "$f")" = "$u" ] || { printf "sticky=%s\n" "$f"; break; }
done
done`;

const parts = ["denied", "held", "shut", "sticky"] as const;

/**
 * The obstacles to removing a directory with everything below it, on its own file system. Asked only before
 * such a removal, and only in check mode.
 */
export const removableKind = defineKind<Removable>({
  name: removableKindName,
  summary: "Whether a user may remove everything below a directory",
  facets: {},
  advice: true,
  deadlineSeconds: 600,
  renamed: (key, real) => {
    const { user, path } = partsOf(key);
    const name = atPath(path, real);
    return user === undefined ? name : `${user} ${name}`;
  },
  read: (questions) => questions.map(walk).join("\n"),
  parse(lines, { key }) {
    if (lines["walked"] !== "yes") {
      throw new FurrowError("E_FACT", { what: `could not list the contents of ${key}` });
    }
    const found = parts.flatMap((name) => (lines[name] === undefined ? [] : [[name, lines[name]] as const]));
    return { ...Object.fromEntries(found), ...(lines["slow"] === "yes" && { slow: true }) };
  },
  print: ({ slow, ...found }) => ({ ...found, ...(slow && { slow: "yes" }), walked: "yes" }),
});

function walk({ number, key }: NumberedQuestion): string {
  const { user, path } = partsOf(key);
  const at = shellQuote(path);
  const first = `awk -v n=${number} '{ k = index($0, "="); s = substr($0, 1, k - 1); if (!(s in told)) { told[s]; print n " " $0 } }'`;
  const list = `timeout ${walkSeconds} find ${at} -xdev -type d -exec sh -c ${shellQuote(perDirectory)} sh {} +`;
  const slow = "[ $? != 124 ] || echo slow=yes";
  const asUser =
    user === undefined
      ? `[ "$(id -u)" = 0 ] || ${list}`
      : `if command -v runuser >/dev/null; then runuser -u ${shellQuote(user)} -- ${list}
else su -s /bin/sh ${shellQuote(user)} -c ${shellQuote(list)}; fi`;
  return `if [ -d ${at} ] && [ ! -L ${at} ]; then
{ cd /; ${asUser}; ${slow}; } 2>/dev/null </dev/null | ${first}
command -v lsattr >/dev/null && {
timeout ${walkSeconds} find ${at} -xdev '(' -type f -o -type d ')' -exec lsattr -d -- {} + 2>/dev/null; ${slow}
} | awk -v n=${number} '{ k = index($0, " "); f = substr($0, 1, k) }
$0 == "slow=yes" { print n " " $0; next }
f ~ /[ia]/ { print n " held=" substr($0, k + 1); exit }'
fi
echo "${number} walked=yes"`;
}

function partsOf(key: string): { readonly user?: string; readonly path: string } {
  const at = key.indexOf(" /");
  return key.startsWith("/") || at < 0 ? { path: key } : { user: key.slice(0, at), path: key.slice(at + 1) };
}
