/** A virtual machine without an operating system. */
export interface Machine {
  readonly name: string;
  readonly mac: string;
  readonly address: string;
  readonly firmware: "uefi" | "bios";
  /** How the machine's firmware loads the first file; a BIOS in QEMU has iPXE built in and loads none. */
  readonly boots: "tftp" | "http" | "ipxe";
}

/** The last minor release that boots on a BIOS. */
export const rackVersion = "v1.7.1";

/** The machines of the rack. */
export const machines: readonly Machine[] = [
  { name: "rack-1", mac: "52:54:00:09:00:01", address: "10.9.0.11", firmware: "uefi", boots: "tftp" },
  { name: "rack-2", mac: "52:54:00:09:00:02", address: "10.9.0.12", firmware: "uefi", boots: "http" },
  { name: "rack-3", mac: "52:54:00:09:00:03", address: "10.9.0.13", firmware: "bios", boots: "ipxe" },
];

/** A machine that is not in the inventory. */
export const stranger: Machine = { ...(machines[2] as Machine), name: "stranger", mac: "52:54:00:09:00:99" };

/** Returns the path of the log of a machine's serial console on the host. */
export function serialLog({ name }: Pick<Machine, "name">): string {
  return `/var/log/${name}-serial.log`;
}

/**
 * Returns the script that starts a machine under software emulation, on the bridge rack0. The machine's firmware
 * tries the network before the disk, as many servers do.
 */
export function powerOn({ name, mac, firmware, boots }: Machine, memoryMiB = 512): string {
  const uefi = [
    "-drive if=pflash,format=raw,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.fd",
    `-drive if=pflash,format=raw,file=/var/tmp/${name}.fd`,
    // The firmware has its own driver for the card; the card's own boot ROM would be iPXE.
    ...(boots === "http"
      ? [
          "-fw_cfg name=opt/org.tianocore/IPv4PXESupport,string=n",
          "-fw_cfg name=opt/org.tianocore/IPv6PXESupport,string=n",
        ]
      : []),
  ];
  const rom = firmware === "uefi" ? ",romfile=" : "";
  return `cd /var/tmp
[ -e ${name}.qcow2 ] || qemu-img create -q -f qcow2 ${name}.qcow2 1G
[ -e ${name}.fd ] || cp /usr/share/OVMF/OVMF_VARS_4M.fd ${name}.fd
ip link show ${name} >/dev/null 2>&1 || ip tuntap add ${name} mode tap
ip link set ${name} master rack0 up
qemu-system-x86_64 -name ${name} -machine q35 -accel tcg -m ${memoryMiB} -display none -monitor unix:/run/${name}.monitor,server,nowait -daemonize -pidfile /run/${name}.pid \\
  -serial file:${serialLog({ name })} ${firmware === "uefi" ? uefi.join(" ") : ""} \\
  -netdev tap,id=net,ifname=${name},script=no,downscript=no \\
  -device virtio-net-pci,netdev=net,mac=${mac},bootindex=1${rom} \\
  -drive if=none,id=disk,file=${name}.qcow2 -device virtio-blk-pci,drive=disk,bootindex=2`;
}

/** Returns the script that switches a machine off. */
export function powerOff({ name }: Pick<Machine, "name">): string {
  return `pid=$(cat /run/${name}.pid) && kill "$pid" && while kill -0 "$pid" 2>/dev/null; do sleep 0.2; done`;
}
