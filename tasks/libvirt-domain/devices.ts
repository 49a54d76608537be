interface Disk {
  readonly file: string;
  readonly bus: string;
  readonly target?: string | undefined;
  readonly wwn?: string | undefined;
  readonly boot?: number | undefined;
}

interface Devices {
  readonly disks: readonly Disk[];
  readonly interfaces: readonly {
    readonly mac: string;
    readonly network?: string | undefined;
    readonly bridge?: string | undefined;
    readonly boot?: number | undefined;
  }[];
  readonly bootOrder?: readonly string[] | undefined;
}

/** One mistake, with the path of the wrong param. */
interface Problem {
  readonly path: readonly (string | number)[];
  /** What was expected. */
  readonly message: string;
}

const prefixes: Readonly<Record<string, string>> = { virtio: "vd", ide: "hd" };

/** Returns the targets of the disks, in order: each as given, or the next free target on the disk's bus. */
export function targetsOf(disks: readonly Disk[]): string[] {
  const taken = new Set(disks.map(({ target }) => target));
  return disks.map(({ bus, target }) => {
    if (target !== undefined) return target;
    const prefix = prefixes[bus] ?? "sd";
    const free = "abcdefghijklmnopqrstuvwxyz".split("").find((letter) => !taken.has(`${prefix}${letter}`)) ?? "z";
    taken.add(`${prefix}${free}`);
    return `${prefix}${free}`;
  });
}

/** Returns the mistakes in a virtual machine's devices, each with what is expected instead. */
export function problemsOfDevices({ disks, interfaces, bootOrder }: Devices): Problem[] {
  const problems: Problem[] = [];
  const add = (path: readonly (string | number)[], message: string): void => void problems.push({ path, message });
  const targets = targetsOf(disks);
  disks.forEach(({ file, bus, target, wwn }, at) => {
    const path = ["disks", at];
    if (disks.slice(0, at).some((other) => other.file === file))
      add([...path, "file"], "a file that no other disk uses");
    if (targets.indexOf(targets[at] ?? "") < at) add([...path, "target"], "a target that no other disk uses");
    if (target !== undefined && !target.startsWith(prefixes[bus] ?? "sd"))
      add([...path, "target"], `a target of ${bus}, like "${prefixes[bus] ?? "sd"}a"`);
    if (wwn !== undefined && bus !== "scsi" && bus !== "ide")
      add([...path, "wwn"], 'bus "scsi" or "ide"; for other buses, use serial');
  });
  interfaces.forEach(({ mac, network, bridge }, at) => {
    const path = ["interfaces", at];
    if ((network === undefined) === (bridge === undefined)) add(path, "either a network or a bridge");
    if (interfaces.slice(0, at).some((other) => other.mac === mac))
      add([...path, "mac"], "a MAC address that no other interface uses");
  });
  const places = [
    ...disks.map(({ boot }, at) => ({ boot, path: ["disks", at, "boot"] })),
    ...interfaces.map(({ boot }, at) => ({ boot, path: ["interfaces", at, "boot"] })),
  ].filter(({ boot }) => boot !== undefined);
  for (const [at, { boot, path }] of places.entries()) {
    if (bootOrder !== undefined) add(path, "no boot position, because bootOrder is given");
    if (places.slice(0, at).some((other) => other.boot === boot))
      add(path, "a boot position that no other device uses");
  }
  return problems;
}
