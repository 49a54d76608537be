/**
 * Shell functions that look for what stands in the way of an archive's names below `$directory`, before anything is unpacked.
 * GNU tar and busybox take a device node, a FIFO or an empty directory away for a file of that name, and GNU tar a link for a
 * directory; both write through a link or a mount that a name goes through. `in_the_way STRIP FOLLOW` reads names, one a
 * line, a directory's with a slash at its end; it prints what is in the way and then fails. With FOLLOW links and mounts
 * may be gone through. Names with a newline are not looked at.
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
    blocked() { printf 'unpacks nothing: %s %s\n' "$at" "$1"; bad=$((bad + 1)); }
    while IFS= read -r line && [ $bad -lt 5 ]; do
      name=${"${line#?}"} at=$directory/${"${line#?}"}
      case "
$mounts
" in *"
$name
"*) blocked "is a mount point, and follow: true is not given"; continue;; esac
      case $line in
        d*) if [ -L "$at" ]; then [ -n "$2" ] && [ -d "$at" ] || blocked "is a link, and the archive has a directory there"
            elif [ -e "$at" ] && [ ! -d "$at" ]; then blocked "is in the way of a directory of the archive"; fi;;
        *) if [ ! -L "$at" ] && [ -e "$at" ] && [ ! -f "$at" ]; then
             if [ -d "$at" ]; then blocked "is a directory, and none in the archive"; else blocked "is a device node, FIFO or socket"; fi
           fi;;
      esac
    done
    [ $bad = 0 ]
  }
}
`;
