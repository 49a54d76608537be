import { absent, type Step } from "../../src/authoring.ts";
import {
  type DiskImage,
  domainXml,
  isActiveState,
  libvirtConnection,
  type LibvirtDomain,
} from "../../src/facts/catalogue.ts";
import { virsh } from "../libvirt-net/steps.ts";
import type { DefinedDomain } from "./params.ts";
import { wantedConfig } from "./wanted.ts";

/**
 * Creates the image under a temporary name in the same directory and then links it to its final name. A killed qemu-img
 * therefore leaves no partial image under the final name, and a file that has appeared there in the meantime is not
 * replaced. On file systems without hard links, the image is renamed without replacing another file.
 */
const createScript = `file=$1 format=$2 size=$3
[ ! -e "$file" ] || exit 0
umask 077
qemu-img create -q -f "$format" "$file.furrow-part" "$size" || exit
ln "$file.furrow-part" "$file" 2>/dev/null || mv -n "$file.furrow-part" "$file"
rm -f "$file.furrow-part"`;

/**
 * Returns the step that creates or grows a disk's image. If a guest is using the image, the step tells the guest the
 * new size.
 */
export function imageStep(
  p: DefinedDomain,
  at: number,
  image: DiskImage | typeof absent,
  domain: LibvirtDomain | typeof absent,
): Step | undefined {
  const disk = p.disks[at];
  if (disk?.size === undefined) return undefined;
  if (image === absent) {
    const words = [disk.file, disk.format, String(disk.size)];
    return { step: "run", label: `make ${disk.file}`, argv: ["sh", "-c", createScript, "sh", ...words] };
  }
  const live = domain === absent || domain.live === absent ? [] : Object.values(domain.live.disks);
  return live.some((one) => one !== absent && one.file === disk.file)
    ? virsh("blockresize", p.name, disk.file, `${disk.size}B`)
    : { step: "run", argv: ["qemu-img", "resize", "-q", "-f", disk.format, disk.file, String(disk.size)] };
}

/**
 * Defines a virtual machine. libvirt omits screen passwords from the XML that it shows, and a definition without them
 * would delete them, so the script keeps them.
 */
const defineScript = `connection=$1 name=$2 xml=$(cat)
old=$(virsh -q -c "$connection" dumpxml --inactive --security-info "$name" 2>/dev/null)
keep() {
case $xml in *"<graphics type='$1'"*) ;; *) return;; esac
case $old in *"<graphics type='$1'"*) ;; *) return;; esac
g=\${old#*"<graphics type='$1'"} g=\${g%%>*}
case $g in *" passwd='"*) ;; *) return;; esac
p=\${g#*" passwd='"} p=\${p%%"'"*}
xml="\${xml%%"<graphics type='$1'"*}<graphics type='$1' passwd='$p'\${xml#*"<graphics type='$1'"}"
}
keep vnc
keep spice
printf '%s\\n' "$xml" | virsh -q -c "$connection" define /dev/stdin`;

/** Returns the step that defines the wanted virtual machine, based on its current definition. */
export function defineStep(p: DefinedDomain, domain: LibvirtDomain | typeof absent): Step {
  return {
    step: "run",
    label: `define ${p.name}`,
    argv: ["sh", "-c", defineScript, "sh", libvirtConnection, p.name],
    stdin: domainXml(domain === absent ? undefined : domain.xml, p.name, wantedConfig(p, domain)),
  };
}

/**
 * Asks a machine once to shut down, as soon as libvirt reports that it is running, and waits until it is off. If that
 * fails, the end of the output gives the reason: libvirt refuses, does not answer, or is itself waiting for QEMU, or
 * the guest does not react. If QEMU does not answer, libvirt waits for it without a time limit.
 */
const stopScript = `connection=$1 name=$2 seconds=$3 force=$4 asked=no
why="$name has not shut down in time; it might not react to ACPI"
ask() { timeout 30 virsh -q -c "$connection" "$@" </dev/null; }
state() {
now=$(ask domstate "$name" 2>/dev/null)
[ $? != 124 ] || seconds=$((seconds - 30))
now=$(printf '%s\\n' "$now" | sed 's/ *$//;/^$/d')
}
while state; [ "$now" != 'shut off' ]; do
if [ "$now" = running ] && [ $asked = no ]; then
asked=yes
ask shutdown "$name" || case $? in
124) seconds=$((seconds - 30)) why="$name has not shut down in time; its QEMU does not answer libvirt";;
*) state; [ "$now" != running ] || { seconds=0 why="libvirt did not ask $name to shut down"; };;
esac
fi
if [ "$seconds" -le 0 ]; then
[ "$force" = yes ] && exec virsh -q -c "$connection" destroy --graceful "$name"
[ -n "$now" ] || { ask domstate "$name"; why="libvirt did not report whether $name is off"; }
echo "$why" >&2
exit 1
fi
seconds=$((seconds - 1))
sleep 1
done`;

/** Returns the step that starts or stops the virtual machine. */
export function stateStep(
  p: Pick<DefinedDomain, "name" | "state" | "force" | "shutdownSeconds">,
  domain: LibvirtDomain | typeof absent,
): Step | undefined {
  const active = domain !== absent && isActiveState(domain.state);
  if (p.state === "running") return active ? undefined : virsh("start", p.name);
  // libvirt keeps the process of a crashed machine if its definition says so.
  if (!active) return domain !== absent && domain.state === "crashed" ? virsh("destroy", p.name) : undefined;
  const patience = ["running", "in shutdown"].includes(domain.state) ? Math.ceil(p.shutdownSeconds) : 0;
  return {
    step: "run",
    label: `shut ${p.name} down`,
    argv: ["sh", "-c", stopScript, "sh", libvirtConnection, p.name, String(patience), p.force ? "yes" : "no"],
    timeoutSeconds: patience + 120,
  };
}

/**
 * Returns the step that undefines the virtual machine. Releases of libvirt that do not support checkpoints do not know
 * the flag for them.
 */
export function undefineStep(name: string, { checkpoints }: LibvirtDomain): Step {
  const flags = checkpoints.length > 0 ? ["--checkpoints-metadata"] : [];
  return virsh("undefine", name, "--nvram", "--managed-save", "--snapshots-metadata", ...flags);
}
