import { access, constants, readFile } from "node:fs/promises";
import { FurrowError } from "../core/errors.ts";
import type { OnProgress } from "./progress.ts";
import { command } from "./machine/shell.ts";

/** The programs that a lab runs, each with its Debian package. */
const programs: Readonly<Record<string, string>> = {
  mmdebstrap: "mmdebstrap",
  "systemd-nspawn": "systemd-container",
  nft: "nftables",
  ip: "iproute2",
  losetup: "mount",
  mount: "mount",
  unshare: "util-linux",
  nsenter: "util-linux",
  "ssh-keygen": "openssh-client",
};

/** The Debian packages that a lab needs. */
export const labPackages: readonly string[] = [...new Set(Object.values(programs))];

/** The requirements of a lab that this machine does not meet. */
export interface LabRequirements {
  /** Debian packages to install. */
  readonly missing: readonly string[];
  /** True if this process may create mounts, bridges and loop devices. */
  readonly root: boolean;
  /** True if `apt-get` is available to install what is missing. */
  readonly debian: boolean;
}

/** Checks what is missing on this machine; changes nothing. */
export async function labRequirements(): Promise<LabRequirements> {
  const found = await Promise.all(Object.keys(programs).map(onPath));
  const missing = Object.values(programs).filter((_, index) => found[index] !== true);
  return {
    missing: [...new Set(missing)],
    root: process.getuid?.() === 0,
    debian:
      (await readFile("/etc/debian_version", "utf8").catch(() => undefined)) !== undefined && (await onPath("apt-get")),
  };
}

/**
 * Installs the packages that are missing.
 *
 * @throws FurrowError E_LAB if the user is not root or the system is not Debian; the error says exactly what to install
 */
export async function fulfilRequirements(onProgress: OnProgress): Promise<void> {
  const { missing, root, debian } = await labRequirements();
  const install = `apt-get install -y --no-install-recommends ${missing.join(" ")}`;
  if (!root) {
    throw new FurrowError("E_LAB", {
      what: "a lab needs root: it creates mounts, a network bridge and loop devices",
      current: `user id ${process.getuid?.() ?? "unknown"}${missing.length > 0 ? `, and these Debian packages are missing: ${missing.join(", ")}` : ""}`,
      expected: "root on Debian 12",
      hint:
        missing.length > 0
          ? `Run \`sudo ${install}\`, then the same command again with sudo`
          : "Run the same command again with sudo",
    });
  }
  if (missing.length === 0) return;
  if (!debian)
    throw new FurrowError("E_LAB", {
      what: "programs that a lab needs are missing",
      current: `not found: the programs from the Debian packages ${missing.join(", ")}`,
      expected: "Debian 12, or the same programs installed",
      hint: `Install ${missing.join(", ")} and try again`,
    });
  onProgress(`installing ${missing.join(", ")}`);
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  // If the machine's package lists are recent, the first attempt succeeds without a refresh.
  const first = await command(["apt-get", "install", "-y", "--no-install-recommends", ...missing], {
    allowFailure: true,
    env,
  });
  if (first.code === 0) return;
  await command(["apt-get", "update"], { env });
  await command(["apt-get", "install", "-y", "--no-install-recommends", ...missing], { env });
}

async function onPath(program: string): Promise<boolean> {
  const directories = [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin", "/sbin"];
  for (const directory of directories) {
    if (
      await access(`${directory}/${program}`, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return true;
  }
  return false;
}
