import { describe, expect, test } from "vitest";
import { pathPattern } from "./apparmor-glob.ts";
import { allows, pathRules } from "./apparmor-rules.ts";

describe("path patterns", () => {
  test.each([
    ["/srv/tftp/**", "/srv/tftp/a/b", true],
    ["/srv/tftp/**", "/srv/tftp/", false],
    ["/srv/tftp/*", "/srv/tftp/a", true],
    ["/srv/tftp/*", "/srv/tftp/a/b", false],
    ["/var/log/dnsmasq*.log", "/var/log/dnsmasq.log", true],
    ["/a/*/b", "/a//b", false],
    ["/a*/b", "/a/b", true],
    ["/{,usr/}bin/{ba,da,}sh", "/usr/bin/dash", true],
    ["/{,usr/}bin/{ba,da,}sh", "/bin/sh", true],
    ["/{,usr/}bin/{ba,da,}sh", "/bin/zsh", false],
    ["/**.qcow{,2}", "/mnt/x/y.qcow2", true],
    ["/dev/sd[a-z]", "/dev/sdb", true],
    ["/dev/sd[^a-c]", "/dev/sdb", false],
    ["/a?c", "/abc", true],
    ["/a?c", "/a/c", false],
    [String.raw`/a\*b`, "/a*b", true],
    [String.raw`/a\*b`, "/axb", false],
    ["/a.b+(c)", "/a.b+(c)", true],
    ["/a.b", "/axb", false],
  ])("%s and %s: %s", (pattern, path, matches) => expect(pathPattern(pattern).test(path)).toBe(matches));
});

const profile = `abi <abi/3.0>,
@{TFTP_DIR}=/var/tftp /srv/tftp
@{TFTP_DIR}+="/srv/tftpboot"
@{ROOT}=/opt/@{LEAF}
@{LEAF}=one two
profile dnsmasq /usr/{bin,sbin}/dnsmasq flags=(attach_disconnected) {
  capability net_admin, # for DHCP
  signal (receive) peer=/usr/{bin,sbin}/libvirtd,
  @{TFTP_DIR}/ r,
  @{TFTP_DIR}/** r,
  audit deny /srv/tftp/secret/** rw,
  owner @{ROOT}/x rw,
  r /front,
  "/with space/**" r,
  @{NOTHING}/** r,
  /usr/lib{,64}/libvirt/libvirt_leaseshelper Cx -> libvirt_leaseshelper,
  profile libvirt_leaseshelper flags=(complain) {
    /var/lib/inner/** r,
  }
  /after r,
}
`;

test.each([
  ["/srv/tftpboot/harvester/ipxe.efi", "r", true],
  ["/srv/tftpboot/", "r", true],
  ["/srv/tftpboot/harvester/ipxe.efi", "w", false],
  ["/srv/www/harvester/ipxe.efi", "r", false],
  ["/srv/tftp/secret/x", "r", false],
  ["/opt/two/x", "w", true],
  ["/front", "r", true],
  ["/with space/x", "r", true],
  ["/var/lib/inner/x", "r", false],
  ["/after", "r", true],
] as const)("for %s, a profile's rules allow %s: %s", (path, permission, expected) => {
  const rules = pathRules(profile);
  expect(rules?.name).toBe("dnsmasq");
  expect(rules && allows(rules, path, permission)).toBe(expected);
});

test("finds no rules in a text without a profile", () => {
  expect(pathRules("@{TFTP_DIR}=/srv/tftp\n")).toBeUndefined();
});
