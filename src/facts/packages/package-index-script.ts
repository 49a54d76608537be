import { aptCache } from "./apt-cache-script.ts";
import { packagePlaces } from "./package-places.ts";
import type { ManagerName } from "./packaging.ts";

/** Prints the names of the enabled repositories in the given files, or in the files of the given folders. */
const enabledRepos = `enabledRepos() {
awk '/^\\[/ { s = $0; gsub(/^\\[|\\].*/, "", s); on[s] = 1 } /^enabled *= *(0|[Ff]alse|[Nn]o)/ { on[s] = 0 } END { for (s in on) if (on[s] && s != "main" && s != "options") print s }' $(find -L "$@" -type f 2>/dev/null) /dev/null
}`;

/**
 * Prints a line for each repository on the host, with patterns of the files that fetching its index creates. Fails if
 * the manager does not list its repositories. apt lists the files that it would fetch, even if it has never fetched
 * them (apt-get(8), indextargets); by default, that command would also write apt's cache files.
 */
const repositories: Readonly<Record<ManagerName, string>> = {
  apt: `aptCache; t=$(apt-get $cache indextargets --no-release-info --format '$(FILENAME)|$(METAKEY)' 2>/dev/null) || return
printf '%s\\n' "$t" | awk -F'|' 'NF == 2 { b = substr($1, 1, length($1) - length($2)); if (!seen[b]++) print b "InRelease " b "Release " b "*Packages*" }'`,
  zypper: `for s in $(enabledRepos $r); do echo "$d/$s/repodata/repomd.xml $d/$s/content $d/$s/cookie"; done`,
  dnf: `for s in $(enabledRepos $r); do echo "$d/$s-????????????????/repodata/repomd.xml"; done`,
  pacman: `for s in $(enabledRepos /etc/pacman.conf); do echo "$d/$s.db"; done`,
};

/**
 * `places MANAGER` sets the paths of a manager's index: `d` its folder, `f` its files, `r` the repository lists, and
 * `note` the file in which furrow records that the whole index was fetched.
 */
const places = `places() {
note=/var/lib/furrow/index/$1
case $1 in
${Object.entries(packagePlaces)
  .map(([name, { index, indexFiles, lists }]) => `${name}) d=${index} f='${indexFiles}' r='${lists.join(" ")}';;`)
  .join("\n")}
*) return 1;;
esac
}`;

/**
 * `lists` prints a checksum of the repository lists, which shows whether they have changed since the last complete
 * fetch.
 */
const lists = `lists() { { find -L $r -type f -exec cksum {} +; cat /var/lib/dpkg/arch; } 2>/dev/null | LC_ALL=C sort | cksum; }`;

/**
 * Functions that record a complete fetch: `places`, `lists`, and `noteFetch LISTS`, where LISTS is the output of
 * `lists` before the fetch.
 */
export const indexNotes = `${places}
${lists}
noteFetch() { (umask 022; mkdir -p "\${note%/*}" && printf '%s\\n' "$1" >$note.part && mv -f $note.part $note); }`;

/**
 * `age MANAGER` sets `at` to the time by which every repository had been fetched, or to 0 if that is unknown. The
 * function sets `u` to yes if a repository was never fetched or a repository list is newer than the index. furrow's
 * note proves a complete fetch. Otherwise a repository's fetch time is the ctime of a file of its index (mtime is the
 * server's date), but no later than the folder's own mtime, because unpacking an image gives files new ctimes but keeps
 * the folders' old dates. A date in the future is ignored.
 */
export const indexFunctions = `${places}
${lists}
noted() { [ -f $note ] && [ ! -L $note ] && [ -O $note ] && [ "$(cat $note)" = "$(lists)" ]; }
${aptCache}
${enabledRepos}
repositories() {
case $1 in
${Object.entries(repositories)
  .map(([name, script]) => `${name}) ${script};;`)
  .join("\n")}
esac
}
age() {
at=0 u=no since=$d now=$(date +%s) top=$(stat -c %Y $d)
[ $top -le $now ] || top=0
if noted; then
since=$note at=$(stat -c %Y $note)
[ $at -le $now ] || at=0
[ $at -le $top ] || at=$top
fi
[ -z "$(find $r -newer $since 2>/dev/null | head -n 1)" ] || u=yes
[ $since = $d ] || [ $d -nt $note ] || return 0
t=$(repositories $1) || return 0
t=$(printf '%s\\n' "$t" | while read -r f; do
stat -c '%Z %Y' $f 2>/dev/null | awk -v at=$at -v top=$top -v now=$now '{ m = $2 > top ? $2 : top; c = $1 < m ? $1 : m; if (c > at && c <= now) at = c } END { print NR || at ? at : -1 }'
done | sort -n | head -n 1)
case $t in -1) u=yes at=0;; ?*) at=$t;; esac
}`;
