/** The properties of a Harvester release that matter to a deployment. */
export interface Release {
  /** The first version to which this entry applies. */
  readonly from: readonly [major: number, minor: number];
  /** The firmware that a node may boot with; the first one is the default. */
  readonly firmware: readonly ("uefi" | "bios")[];
  /** The format of the setting `cluster-registration-url`. */
  readonly registration: "url" | "json";
}

/**
 * The releases, newest first: the first row that is not newer than a version applies to it. A new release only needs a
 * new row.
 */
export const releases: readonly Release[] = [
  { from: [1, 8], firmware: ["uefi"], registration: "json" },
  { from: [0, 0], firmware: ["uefi", "bios"], registration: "url" },
];

/**
 * The name of a release, such as `v1.8.1` or `v1.9.0-rc1`, with nothing before or after it, because it becomes part of
 * file names and URLs.
 */
export const releaseName = /^v\d+\.\d+\.\d+(-[\dA-Za-z]+(\.[\dA-Za-z]+)*)?$/;

/** Returns the row that applies to a version such as `v1.8.1`. */
export function releaseOf(version: string): Release {
  const [major = 0, minor = 0] = version.slice(1).split(".").map(Number);
  const found = releases.find(({ from }) => major > from[0] || (major === from[0] && minor >= from[1]));
  return found ?? (releases.at(-1) as Release);
}

/** The artifacts of a release that a node boots from. */
export type ArtifactNames = Readonly<Record<"kernel" | "initrd" | "rootfs" | "iso", string>>;

/** Returns the upstream file names of the boot artifacts. */
export function artifactNames(version: string): ArtifactNames {
  return {
    kernel: `harvester-${version}-vmlinuz-amd64`,
    initrd: `harvester-${version}-initrd-amd64`,
    rootfs: `harvester-${version}-rootfs-amd64.squashfs`,
    iso: `harvester-${version}-amd64.iso`,
  };
}

/** The official server; `{version}` stands for the version. */
export const releaseServer = "https://releases.rancher.com/harvester/{version}";

/** Returns the URLs of a version's boot artifacts and of their digests, on a server with the official layout. */
export function artifactsBelow(
  base: string,
  version: string,
): Readonly<Record<keyof ArtifactNames, { url: string }>> & { readonly checksums: string } {
  const folder = base.replaceAll("{version}", version).replace(/\/$/, "");
  const names = artifactNames(version);
  return {
    kernel: { url: `${folder}/${names.kernel}` },
    initrd: { url: `${folder}/${names.initrd}` },
    rootfs: { url: `${folder}/${names.rootfs}` },
    iso: { url: `${folder}/${names.iso}` },
    checksums: `${folder}/harvester-${version}-amd64.sha512`,
  };
}
