import type { PackageRoot } from "./root.ts";

/** A package with two files, built while a test runs. */
export interface Deb {
  readonly name: string;
  readonly version?: string;
  /** Additional lines for the package's control file. */
  readonly fields?: readonly string[];
  /** Default: all; `native` is the architecture of the root, `foreign` is i386. */
  readonly architecture?: "native" | "foreign";
  /** Megabytes of random data that the package contains besides its version. */
  readonly megabytes?: number;
  readonly preinst?: string;
  readonly postinst?: string;
  readonly prerm?: string;
}

const build = String.raw`
dir=$1 name=$2 version=$3 fields=$4 size=$5 arch=$6; shift 6
case $arch in native) arch=$(dpkg --print-architecture);; foreign) arch=i386;; esac
d=$(mktemp -d); chmod 755 $d; mkdir -p $d/DEBIAN $d/usr/share/$name; echo "$version" >$d/usr/share/$name/version; [ $size = 0 ] || head -c "$size"M /dev/urandom >$d/usr/share/$name/filler
{ echo "Package: $name"; echo "Version: $version"; echo "Architecture: $arch"; echo 'Maintainer: Test <test@example.org>'; echo 'Description: test'; [ -z "$fields" ] || echo "$fields"; } >$d/DEBIAN/control
for script in preinst postinst prerm; do
  [ -z "$1" ] || { printf '#!/bin/sh\n%s\n' "$1" >$d/DEBIAN/$script; chmod 755 $d/DEBIAN/$script; }; shift
done
mkdir -p $dir; dpkg-deb --root-owner-group -Znone -b $d "$dir/$name"_"$version"_$arch.deb >/dev/null; rm -r $d`;

const index = String.raw`cd $1; rm -f InRelease Release
for f in *.deb; do dpkg-deb -f $f; echo "Filename: ./$f"; echo "Size: $(stat -c %s $f)"; echo "SHA256: $(sha256sum $f | cut -d' ' -f1)"; echo; done >Packages`;

/** Creates an unsigned repository with these packages in a folder of the root. */
export async function repositoryOf(root: PackageRoot, folder: string, debs: readonly Deb[]): Promise<void> {
  for (const { name, version = "1.0", fields = [], preinst = "", postinst = "", prerm = "", ...more } of debs) {
    const { megabytes = 0, architecture = "all" } = more;
    const words = [folder, name, version, fields.join("\n"), `${megabytes}`, architecture, preinst, postinst, prerm];
    const { code, output } = await root.sh(build, ...words);
    if (code !== 0) throw new Error(output);
  }
  await root.sh(index, folder);
}
