/** Shell scripts, run by root inside the test root, that build packages and their repositories. */

/** Builds debs `hello` 1.0 and 2.0 and others in /srv/deb, each in a signed and in an unsigned repository. */
export const buildDebs = String.raw`
deb() { # NAME VERSION "FIELD: VALUE" [postinst]
  d=/tmp/deb; rm -rf $d; mkdir -p $d/DEBIAN $d/usr/share/$1 $d/etc; echo "$2" >$d/usr/share/$1/version; echo "setting of $2" >$d/etc/$1.conf
  { echo "Package: $1"; echo "Version: $2"; echo 'Architecture: all'; echo 'Maintainer: Test <test@example.org>'; echo 'Description: test'; [ -z "$3" ] || echo "$3"; } >$d/DEBIAN/control
  echo "/etc/$1.conf" >$d/DEBIAN/conffiles
  if [ -n "$4" ]; then printf '#!/bin/sh\n%s\n' "$4" >$d/DEBIAN/postinst; chmod 755 $d/DEBIAN/postinst; fi
  dpkg-deb --root-owner-group -Znone -b $d /srv/deb/$1_$2_all.deb >/dev/null
}
mkdir -p /srv/deb
deb hello 1.0; deb hello 2.0
deb gate 1.0 'Provides: doorway, portal'
deb arch 1.0 'Provides: portal'
deb ground 1.0
deb upper 1.0 'Depends: ground'
deb torn 1.0 'Depends: nowhere'
deb slow 1.0 'Depends: ground' '[ ! -e /run/slow ] || { touch /run/slow.started; while [ -e /run/slow ]; do sleep 0.1; done; }'
deb broken 1.0 '' '[ ! -e /run/broken ]'
cd /srv/deb
for f in *.deb; do dpkg-deb -f $f; echo "Filename: ./$f"; echo "Size: $(stat -c %s $f)"; echo "SHA256: $(sha256sum $f | cut -d' ' -f1)"; echo; done >Packages
{ echo 'Origin: test'; echo 'Label: test'; echo 'Suite: ./'; echo "Date: $(date -Ru)"; echo 'SHA256:'; echo " $(sha256sum Packages | cut -d' ' -f1) $(stat -c %s Packages) Packages"; } >Release
gpg --batch -q --yes --clearsign -o InRelease Release
`;

/** Builds rpms with the same names in /srv/rpm, with signed metadata. A scriptlet needs /bin/sh from some package. */
export const buildRpms = String.raw`
mkdir -p /srv/rpm /tmp/rpm/SPECS
rpm() { # NAME VERSION "TAG: VALUE" [post]
  s=/tmp/rpm/SPECS/$1.spec
  { echo "Name: $1"; echo "Version: $2"; echo 'Release: 1'; echo 'Summary: test'; echo 'License: MIT'; echo 'BuildArch: noarch'; [ -z "$3" ] || echo "$3"; printf '%s\n' %description test
    printf '%s\n' %install "mkdir -p %{buildroot}/usr/share/$1" "echo $2 >%{buildroot}/usr/share/$1/version"; [ -z "$4" ] || printf '%s\n' %post "$4"; printf '%s\n' %files "/usr/share/$1/version"; } >$s
  rpmbuild --quiet --define "_topdir /tmp/rpm" --define "_build_id_links none" -bb $s >/dev/null 2>&1 || { echo "rpmbuild $1 failed" >&2; exit 1; }
}
rpm shell 1.0 'Provides: /bin/sh'
rpm hello 1.0; rpm hello 2.0
rpm gate 1.0 'Provides: doorway'
rpm ground 1.0
rpm upper 1.0 'Requires: ground'
rpm torn 1.0 'Requires: nowhere'
rpm slow 1.0 '' '[ ! -e /run/slow ] || { touch /run/slow.started; while [ -e /run/slow ]; do sleep 0.1; done; }'
rpm broken 1.0 '' 'exit 1'
cp /tmp/rpm/RPMS/noarch/*.rpm /srv/rpm
createrepo_c -q /srv/rpm
gpg --batch -q --yes --detach-sign --armor /srv/rpm/repodata/repomd.xml
cp /srv/key.asc /srv/rpm/repodata/repomd.xml.key
`;

/**
 * Builds pacman packages with the same names in /srv/pacman; the repository contains hello 1.0, and hello 2.0 is in a
 * folder next to it.
 */
export const buildPacmans = String.raw`
mkdir -p /srv/pacman/next
pac() { # FOLDER NAME VERSION "key = value"
  d=/tmp/pac; rm -rf $d; mkdir -p $d/usr/share/$2; echo "$3" >$d/usr/share/$2/version
  { echo "pkgname = $2"; echo "pkgbase = $2"; echo "pkgver = $3"; echo 'pkgdesc = test'; echo 'builddate = 1'; echo 'packager = Test'; echo 'size = 4'; echo 'arch = any'; [ -z "$4" ] || echo "$4"; } >$d/.PKGINFO
  (cd $d; bsdtar -czf "/srv/pacman/$1/$2-$3-any.pkg.tar.gz" .PKGINFO usr)
}
pac . hello 1.0-1; pac next hello 2.0-1; pac . gate 1.0-1 'provides = doorway'; pac . ground 1.0-1; pac . upper 1.0-1 'depend = ground'
cd /srv/pacman; repo-add -q test.db.tar.gz ./*.pkg.tar.gz
`;

/**
 * Creates the key that signs both repositories, /srv/key.asc, with its fingerprint in /srv/fingerprint, and an
 * unrelated key in /srv/other.asc.
 */
export const makeKeys = String.raw`
mkdir -m 700 -p /root/.gnupg
for who in other test; do
  gpg --batch -q --passphrase '' --quick-generate-key "$who <$who@example.org>" rsa2048 sign never
done
gpg -q --armor --export test@example.org >/srv/key.asc
gpg -q --armor --export other@example.org >/srv/other.asc
gpg -q --with-colons --fingerprint test@example.org | sed -n 's/^fpr:*\([0-9A-F]*\):.*/\1/p' | head -n 1 >/srv/fingerprint
echo 'default-key test@example.org' >/root/.gnupg/gpg.conf
`;
