import { parse } from "yaml";
import { type LabHost, runInHost } from "../../../src/lab/index.ts";
import { pageBlocks } from "../../../scripts/docs/pages.ts";
import { guide } from "../../kube/pages/perform.ts";

const inHost = async (host: LabHost, script: string, ...words: readonly string[]): Promise<string> =>
  (await runInHost(host, ["sh", "-ec", script, "sh", ...words])).stdout;

/** Creates the user that Harvester's installer creates. The user accepts the lab's key for logins, and may use sudo. */
export async function addRancher(host: LabHost): Promise<void> {
  await inHost(
    host,
    `useradd --create-home --shell /bin/bash rancher
install -d -o rancher -g rancher -m 700 ~rancher/.ssh
install -o rancher -g rancher -m 600 /root/.ssh/authorized_keys ~rancher/.ssh/authorized_keys
echo 'rancher ALL=(ALL) NOPASSWD:ALL' >/etc/sudoers.d/rancher`,
  );
}

/** How a Harvester node boots. */
export interface Start {
  /** Where the kernel shows the firmware's iSCSI boot table; a node without one boots from a local disk. */
  readonly table?: "/sys/firmware/ibft" | "/sys/firmware/acpi/tables/iBFT";
  /**
   * True if the system appends the GRUB variable for additional arguments to each kernel command line, as newer
   * releases do.
   */
  readonly readsVariable?: boolean;
}

/** A grub.cfg with two entries; the second entry already has one of the parameters. */
export const entries = `menuentry "Harvester" {
  linux (loop0)$kernel $kernelcmd multipath=off
  initrd (loop0)$initramfs
}
menuentry "Harvester (fallback)" {
  linux (loop0)$kernel $kernelcmd rd.iscsi.ibft
}
`;

/**
 * Makes a host boot as a node does: grub.cfg on a separate read-only partition, and the files that describe the boot.
 */
export async function startLikeNode(host: LabHost, { table, readsVariable = false }: Start): Promise<void> {
  const [disk] = host.disks;
  if (disk === undefined) throw new Error(`${host.name} has no disk`);
  const appended = readsVariable ? "$third_party_kernel_args" : "";
  await inHost(
    host,
    `at=/run/initramfs/cos-state
mkfs.ext4 -q -L COS_STATE "$1"; mkdir -p $at /etc/cos /oem; mount "$1" $at; mkdir $at/grub2
printf %s "$2" >$at/grub2/grub.cfg; chmod 600 $at/grub2/grub.cfg; mount -o remount,ro $at
printf 'set kernelcmd="console=tty1 %s"\\n' "$3" >/etc/cos/bootargs.cfg
[ -z "$4" ] || { mkdir -p "\${4%/*}"; echo iBFT >"$4"; }`,
    disk.path,
    entries,
    appended,
    table ?? "",
  );
}

/** A host's GRUB entries and GRUB environment, and how the partition with the entries is mounted. */
export async function startOf(
  host: LabHost,
): Promise<{ readonly entries: string; readonly environment: string; readonly mount: string }> {
  return {
    entries: await inHost(host, "cat /run/initramfs/cos-state/grub2/grub.cfg"),
    environment: await inHost(host, "cat /oem/grubenv 2>/dev/null || true"),
    mount: (await inHost(host, "findmnt -no OPTIONS /run/initramfs/cos-state")).slice(0, 2),
  };
}

/** The part of a node's configuration that the page about Ceph shows. */
function configured(): { readonly persistent_state_paths: string[]; readonly modules: string[] } {
  const found = pageBlocks(guide("harvester/external-ceph")).find(({ name }) => name === "config.yaml");
  return (parse(found?.text ?? "") as { readonly os: ReturnType<typeof configured> }).os;
}

/** Makes a host look like a node that was installed with the page's configuration, and loads additional modules. */
export async function prepareForCeph(host: LabHost, ...added: readonly string[]): Promise<void> {
  const disk = host.disks[1];
  if (disk === undefined) throw new Error(`${host.name} has only one disk`);
  const { persistent_state_paths: paths, modules } = configured();
  await inHost(
    host,
    `disk=$1 at=/usr/local/.state; shift; mkfs.ext4 -q -L COS_PERSISTENT "$disk"; mkdir -p $at; mount "$disk" $at
for path; do mkdir -p "$at$path" "$path"; mount --bind "$at$path" "$path"; done`,
    disk.path,
    ...paths,
  );
  await loadModules(host, ...modules, ...added);
}

/** Loads kernel modules. The lab's kernel may lack these modules, so folders stand in for them. */
export async function loadModules(host: LabHost, ...names: readonly string[]): Promise<void> {
  await inHost(host, 'for name; do mkdir -p "/sys/module/$name"; done', ...names);
}
