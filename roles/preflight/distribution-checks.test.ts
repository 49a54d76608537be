import { expect, test } from "vitest";
import { absent, playbook } from "../../src/authoring.ts";
import { simulate, type SimulatedState } from "../../src/testing/index.ts";
import { clusterSchema } from "../cluster/cluster.ts";
import { distributionChecks } from "./distribution-checks.ts";

const given = { disks: ["/dev/a"], token: "t", password: "p" };
const sles = { id: "sles", version: "15.7", like: ["sles", "suse"] };

/** Runs the checks in check mode on a simulated SLES host. Returns the refusals. */
async function refusals(
  state: SimulatedState,
  more: object = {},
): Promise<{ readonly message: string; readonly hint: string | undefined }[]> {
  const cluster = clusterSchema.parse({ ...given, ...more });
  const host = { hostname: "sles", architecture: "x86_64", kernel: "6.4", processors: 64, memoryBytes: 2 ** 38 };
  const book = playbook({
    name: "checks alone",
    plays: [{ hosts: "all", become: true, tasks: ({ facts }) => distributionChecks(cluster, facts) }],
  });
  const self = { ...host, kvm: true, addresses: {}, os: sles };
  const { result } = await simulate(book, {
    hosts: ["sles"],
    state: { sles: { "host:self": self, ...state } },
    mode: "check",
  });
  return result.errors.map(({ message, failure }) => ({ message, hint: failure.hint }));
}

const profile = (folders: string, mode = "enforce") => ({
  mode,
  text: `@{TFTP_DIR}=${folders}\nprofile dnsmasq /usr/{bin,sbin}/dnsmasq flags=(attach_disconnected) {\n  @{TFTP_DIR}/ r,\n  @{TFTP_DIR}/** r,\n}\n`,
});
const installed = (name: string) => ({ [`package:${name}`]: { present: true, version: "1.0" } });

test("accepts a SUSE host with its own profiles, before and after the packages are installed", async () => {
  expect(await refusals({})).toEqual([]);
  const shipped = profile("/var/tftp /srv/tftp /srv/tftpboot");
  expect(await refusals({ "apparmorProfile:usr.sbin.dnsmasq": shipped })).toEqual([]);
  const file = { "file:/usr/share/ipxe/ipxe-x86_64.efi": { type: "file" as const } };
  expect(await refusals({ ...installed("ipxe-bootimgs"), ...file })).toEqual([]);
});

test("refuses a TFTP directory that the host's profile does not allow, and says how to allow it", async () => {
  const [refusal] = await refusals({ "apparmorProfile:usr.sbin.dnsmasq": profile("/var/tftp /srv/tftp") });
  expect(refusal?.message).toContain("profile dnsmasq does not allow reading /srv/tftpboot/harvester/ipxe.efi");
  expect(refusal?.hint).toBe(
    'Add the line "/srv/tftpboot/harvester/** r," to /etc/apparmor.d/local/usr.sbin.dnsmasq, and run apparmor_parser -r /etc/apparmor.d/usr.sbin.dnsmasq',
  );
});

test("does not refuse a profile in complain mode, or one that the kernel has not loaded", async () => {
  for (const mode of ["complain", ""]) {
    expect(await refusals({ "apparmorProfile:usr.sbin.dnsmasq": profile("/var/tftp", mode) })).toEqual([]);
  }
});

test("refuses an enforced profile that it cannot read", async () => {
  const odd = { mode: "enforce", text: "# nothing\n" };
  const [refusal] = await refusals({ "apparmorProfile:usr.sbin.dnsmasq": odd });
  expect(refusal?.message).toContain("contains no profile that furrow can read");
});

test("refuses images that virt-aa-helper is not allowed to read", async () => {
  const helper = {
    mode: "enforce",
    text: "profile virt-aa-helper /usr/libexec/virt-aa-helper {\n  /var/lib/** r,\n}\n",
  };
  const [refusal] = await refusals({ "apparmorProfile:usr.lib.libvirt.virt-aa-helper": helper });
  expect(refusal?.message).toContain("does not allow reading /mnt/datadisk1/harvester-data.qcow2");
});

test("refuses an installed package without the expected file, and says how to find the file", async () => {
  const [refusal] = await refusals({ ...installed("ipxe-bootimgs"), "file:/usr/share/ipxe/ipxe-x86_64.efi": absent });
  expect(refusal?.message).toContain(
    "the package ipxe-bootimgs is installed, but /usr/share/ipxe/ipxe-x86_64.efi does not exist",
  );
  expect(refusal?.hint).toContain("rpm -ql ipxe-bootimgs");
});

const zone = (services: readonly string[], rules: readonly string[] = [], target = "ACCEPT") => ({
  target,
  services: Object.fromEntries(services.map((name) => [name, true as const])),
  ports: {},
  rules: Object.fromEntries(rules.map((rule) => [rule, true as const])),
});
/** firewalld as on SLES: libvirt's zone with the services that libvirt allows, and the public zone. */
const firewall = (services: readonly string[], ...rules: readonly string[]): SimulatedState => {
  const libvirt = zone(services, ['rule priority="32767" reject', ...rules]);
  const open = zone(["https"], ['rule port port="6443" protocol="tcp" accept'], "default");
  return {
    "firewalld:libvirt": { daemon: "running", zone: "libvirt", runtime: libvirt, permanent: libvirt },
    "firewalld:default zone": { daemon: "running", zone: "public", runtime: open, permanent: open },
  };
};
const shipped = ["dhcp", "dhcpv6", "dns", "ssh", "tftp"];

test("accepts closed ports that the roles will open", async () => {
  expect(await refusals(firewall(shipped))).toEqual([]);
});

test("refuses a closed guest port if the roles must not open it, and says how to open it", async () => {
  const [refusal] = await refusals(firewall(shipped), { openFirewall: false });
  expect(refusal?.message).toContain("firewalld keeps port 80/tcp closed for the nodes (zone libvirt)");
  expect(refusal?.hint).toBe(
    "Set openFirewall: true, or open it: firewall-cmd --permanent --zone=libvirt --add-port=80/tcp, then firewall-cmd --reload",
  );
  expect(await refusals(firewall([...shipped, "http"]), { openFirewall: false })).toEqual([]);
});

test("refuses a guest port that a rule denies, although the roles open it", async () => {
  const [refusal] = await refusals(firewall([...shipped, "http"], 'rule service name="http" drop'));
  expect(refusal?.hint).toBe("Remove the rule that firewall-cmd --zone=libvirt --list-rich-rules shows");
});

test("refuses a firewalld that failed to apply its configuration, and accepts one that is not running", async () => {
  const empty = { zone: "libvirt", runtime: absent, permanent: absent };
  const [refusal] = await refusals({ "firewalld:libvirt": { daemon: "failed", ...empty } });
  expect(refusal?.message).toContain("failed to apply its configuration");
  expect(await refusals({ "firewalld:libvirt": { daemon: "stopped", ...empty } })).toEqual([]);
});
