import type { Step } from "../../src/authoring.ts";
import { flagsOf } from "../../src/facts/catalogue.ts";
import { isBind, type Kept, ownOptions, type Params } from "./params.ts";

/** Makes systemd read the changed fstab. */
export const reload: Step = {
  step: "run",
  label: "make systemd read fstab",
  argv: ["sh", "-c", "[ ! -d /run/systemd/system ] || systemctl daemon-reload"],
  timeoutSeconds: 60,
};

/**
 * Returns the step that mounts the path. systemd reloads fstab first: with the old fstab, it could unmount the path
 * immediately. Five seconds after the timeout, mount is sent SIGKILL, because SIGTERM has no effect while a server does
 * not answer. `nofail` is not passed to mount(8), because it would hide why nothing was mounted. If nothing ends up
 * mounted, the old fstab is restored: a line whose mount fails would block the next boot.
 */
export function act(p: Kept, fstab: { readonly before: string; readonly after: string } | false | undefined): Step {
  const script = String.raw`[ ! -d /run/systemd/system ] || systemctl daemon-reload || exit 1
timeout -k 5 "$1" mount -t "$2" -o "$3" -- "$4" "$5" && { [ -z "$6" ] || timeout -k 5 "$1" mount -o "$6" "$5"; }
rc=$?
[ $rc != 124 ] && [ $rc != 137 ] || echo "$4 did not answer within $1 seconds" >&2
if [ $rc = 0 ]; then
  at=$(readlink -f -- "$5" | sed 's/\\/\\134/g;s/ /\\040/g;s/	/\\011/g')
  while read -r z z z z point z; do [ "$point" != "$at" ] || exit 0; done </proc/self/mountinfo
  echo "mount ended without an error, but nothing is mounted at $5" >&2
  rc=32
fi
if [ -n "$7" ] && [ "$(cat /etc/fstab; echo .)" = "$9." ]; then
  t=/etc/.fstab.furrow; cp -p /etc/fstab $t && printf %s "$8" >$t && mv -f $t /etc/fstab && echo "/etc/fstab was restored" >&2
  [ ! -d /run/systemd/system ] || systemctl daemon-reload
fi
exit $rc`;
  const words = [String(p.timeoutSeconds), p.fileSystem, loudOptions(p), p.source, p.path];
  // busybox's mount does not accept flags together with bind.
  const hasFlags = isBind(p) && Object.keys(flagsOf(ownOptions(p))).length > 0;
  if (hasFlags || fstab) words.push(hasFlags ? remountOptions(p) : "");
  if (fstab) words.push("fstab", fstab.before, fstab.after);
  return {
    step: "run",
    label: `mount ${p.source} at ${p.path}`,
    argv: ["sh", "-c", script, "furrow-mount", ...words],
    timeoutSeconds: p.timeoutSeconds + 60,
  };
}

function loudOptions(p: Kept): string {
  const options = p.options.split(",").filter((option) => option !== "nofail");
  return options.join(",") || "defaults";
}

/** Returns the step that sets the options of an existing mount. */
export function remount(p: Kept): Step {
  return {
    step: "run",
    argv: ["timeout", "-k", "5", String(p.timeoutSeconds), "mount", "-o", remountOptions(p), p.path],
  };
}

/**
 * Returns the options for a remount. A bind mount may change only its own flags: without `bind`, the whole file system
 * would get them (mount(8)).
 */
function remountOptions(p: Kept): string {
  return isBind(p)
    ? `remount,bind,${ownOptions(p).replace(/\br?bind\b,?/, "")}`.replace(/,$/, "")
    : `remount,${p.options}`;
}

/**
 * Returns the step that unmounts the path repeatedly until nothing is mounted there, because mounts may be stacked. An
 * automount point is below what it has mounted. If systemd made the automount point, its unit is stopped: systemd
 * regards a unit as failed if something else unmounts it.
 */
export function unmount(p: Params, isMounted: boolean): Step {
  const script = String.raw`while line=$(grep "^[^ ]* [^ ]* [^ ]* [^ ]* $3 " /proc/self/mountinfo | tail -n 1) && [ -n "$line" ]; do
  case $line in *" - autofs "*)
    unit=
    [ ! -d /run/systemd/system ] || unit=$(systemd-escape --path --suffix=automount -- "$4") || exit 1
    if [ -n "$unit" ] && systemctl is-active --quiet "$unit"; then
      timeout -k 5 "$1" systemctl stop "$unit" || exit 1
      continue
    fi;;
  esac
  timeout -k 5 "$1" umount $2 -- "$4" && continue
  rc=$?
  [ $rc != 124 ] && [ $rc != 137 ] || echo "$4 could not be unmounted within $1 seconds; lazy: true detaches it" >&2
  exit $rc
done`;
  const field = p.path
    .replaceAll(/[ \t\n\\]/g, (byte) => String.raw`\\${byte.charCodeAt(0).toString(8).padStart(3, "0")}`)
    .replaceAll(/[.[\]*^$]/g, String.raw`\$&`);
  const lazy = "lazy" in p && p.lazy ? "-l" : "";
  const words = [String(p.timeoutSeconds), lazy, field, p.path];
  const label = isMounted ? `unmount ${p.path}` : `remove the automount point ${p.path}`;
  return { step: "run", label, argv: ["sh", "-c", script, "furrow-mount", ...words] };
}
