/**
 * A shell function that sets `cache` to the options that make apt read its package lists without writing a cache file.
 * The host's cache of the lists is used if nothing is newer than it; otherwise apt builds one in memory, which takes
 * about a second. Installed packages are always read again.
 */
export const aptCache = `aptCache() {
cache='-o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache='
f=/var/cache/apt/srcpkgcache.bin
[ -s $f ] || return 0
[ -n "$(find /etc/apt/sources.list /etc/apt/sources.list.d /etc/apt/apt.conf.d -newer $f 2>/dev/null; find /var/lib/apt/lists -type f -newer $f 2>/dev/null)" ] || cache='-o Dir::Cache::pkgcache='
}`;
