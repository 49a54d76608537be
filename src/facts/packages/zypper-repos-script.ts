/**
 * A shell function that sets `r` to options that select every enabled zypper repository with an existing index; zypper
 * would fetch the indexes of the other repositories (tested with 1.14).
 */
export const knownRepos = `knownRepos() {
r=
for a in $(awk '/^\\[/ { s = $0; gsub(/^\\[|\\].*/, "", s); e[s] = 1 } /^enabled *= *0/ { e[s] = 0 } END { for (s in e) if (e[s]) print s }' $(find /etc/zypp/repos.d -name '*.repo' 2>/dev/null) /dev/null); do
[ ! -e "/var/cache/zypp/solv/$a/solv" ] || r="$r -r $a"
done
}`;
