#!/bin/sh
# Starts Node in a mount namespace whose /run contains everything that the machine's /run contains, except furrow's
# folder.
exec unshare --mount --propagation private sh -ec '
  new=$(mktemp -d)
  mount -t tmpfs -o mode=0755 tmpfs "$new"
  for path in /run/* /run/.[!.]*; do
    name=${path#/run/}
    if [ "$name" = furrow ]; then
      continue
    elif [ -d "$path" ]; then
      mkdir "$new/$name"
      mount --rbind "$path" "$new/$name"
    elif [ -f "$path" ]; then
      cp -p "$path" "$new/$name"
    fi
  done
  mount --move "$new" /run
  rmdir "$new"
  exec "$FURROW_TEST_NODE" "$@"
' - "$@"
