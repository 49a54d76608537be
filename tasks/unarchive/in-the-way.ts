/**
 * Shell functions that look below `$directory` for anything in the way of an archive's entries, before anything is
 * unpacked. GNU tar and busybox replace a device node, a FIFO or an empty directory with a file of the same name, and
 * GNU tar replaces a link with a directory; both write through links and mounts on the path. `in_the_way STRIP FOLLOW`
 * reads names, one per line; the name of a directory ends with a slash. If it finds obstacles, it prints them and
 * fails. With FOLLOW, links and mounts are not obstacles. Names that contain a newline are not checked.
 */
export const inTheWay = String.raw`
mounts_below() {
  real=$(cd -P -- "$directory" && pwd -P) || return
  [ ! -r /proc/self/mountinfo ] || while read -r _ _ _ _ point _; do
    case $point in *\\*) point=$(printf %b "$(printf %s "$point" | sed 's/\\\([0-7]\)/\\0\1/g')");; esac
    case $point in "${"${real%/}"}"/*) printf '%s\n' "${'${point#"${real%/}"/}'}";; esac
  done </proc/self/mountinfo
}
in_the_way() {
  mounts=; [ -n "$2" ] || mounts=$(mounts_below)
  awk -v strip="$1" '
    { while (sub(/^\.\//, "")) { } ; gsub(/\/\.?\//, "/"); whole = sub(/\/+$/, ""); if ($0 == "" || $0 == ".") next
      count = split($0, part, "/"); path = ""
      for (i = strip + 1; i <= count; i++) {
        path = path (path == "" ? "" : "/") part[i]
        kind = i < count || whole ? "d" : "f"
        if (!((kind path) in told)) { told[kind path]; print kind path }
      } }' | {
    bad=0
    blocked() { printf 'nothing was unpacked: %s %s\n' "$at" "$1"; bad=$((bad + 1)); }
    while IFS= read -r line && [ $bad -lt 5 ]; do
      name=${"${line#?}"} at=$directory/${"${line#?}"}
      case "
$mounts
" in *"
$name
"*) blocked "is a mount point, and follow: true is not given"; continue;; esac
      case $line in
        d*) if [ -L "$at" ]; then [ -n "$2" ] && [ -d "$at" ] || blocked "is a link, and the archive has a directory there"
            elif [ -e "$at" ] && [ ! -d "$at" ]; then blocked "is not a directory, and the archive has a directory there"; fi;;
        *) if [ ! -L "$at" ] && [ -e "$at" ] && [ ! -f "$at" ]; then
             if [ -d "$at" ]; then blocked "is a directory, and the archive has a file or link there"; else blocked "is a device node, FIFO or socket"; fi
           fi;;
      esac
    done
    [ $bad = 0 ]
  }
}
`;
