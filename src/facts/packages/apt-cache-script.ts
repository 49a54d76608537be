/**
 * A shell function that sets `cache` to the options by which apt reads its package lists without writing a cache file.
 * The cache of the lists that is on the host serves where nothing is newer than it; else apt makes one in memory, which
 * takes it about a second. What is installed is always read afresh.
 */
export const aptCache = `aptCache() {
cache='-o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache='
f=/var/cache/apt/srcpkgcache.bin
[ -s $f ] || return 0
[ -n "$(find /etc/apt/sources.list /etc/apt/sources.list.d /etc/apt/apt.conf.d -newer $f 2>/dev/null; find /var/lib/apt/lists -type f -newer $f 2>/dev/null)" ] || cache='-o Dir::Cache::pkgcache='
}`;
