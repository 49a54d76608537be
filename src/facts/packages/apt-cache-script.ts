/**
 * A shell function that sets `cache` to options that make apt read its package lists without writing a cache file. apt
 * uses the host's cache of the lists if this cache is newer than the lists and apt's configuration; otherwise apt
 * builds a cache in memory, which takes about a second. apt always reads the installed packages again.
 */
export const aptCache = `aptCache() {
cache='-o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache='
f=/var/cache/apt/srcpkgcache.bin
[ -s $f ] || return 0
[ -n "$(find /etc/apt/sources.list /etc/apt/sources.list.d /etc/apt/apt.conf.d -newer $f 2>/dev/null; find /var/lib/apt/lists -type f -newer $f 2>/dev/null)" ] || cache='-o Dir::Cache::pkgcache='
}`;
