import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import harvester from "../../playbooks/harvester.ts";
import { reportText } from "../../src/field/format.ts";
import { replay, type Replay, type SimulatedState } from "../../src/testing/index.ts";
import { composedReport } from "./composed.ts";
import { suse } from "./packages.ts";

const systems = suse.systems.map((one) => [`${one.id} ${one.version}`, one] as const);

/** The refusals of a replay, each with its hint. */
function refusals({ result }: Replay): { readonly what: string; readonly hint: string | undefined }[] {
  return result.errors.map(({ failure: { what, hint } }) => ({ what, hint }));
}

describe.each(systems)("on a composed report on %s", (name, system) => {
  const fresh = composedReport(system, false);
  const installed = composedReport(system, true);

  test("the report is in the folder of reports, and says that no host was read", async () => {
    const file = (kind: string): string =>
      join(import.meta.dirname, "reports", `${name.replace(" ", "-")}-${kind}.json`);
    await expect(reportText(fresh)).toMatchFileSnapshot(file("fresh"));
    await expect(reportText(installed)).toMatchFileSnapshot(file("installed"));
    expect(fresh.origin).toMatchObject({ how: "composed" });
  });

  test("the roles accept the host once the packages are installed", async () => {
    const run = await replay(harvester, installed);
    expect(refusals(run)).toEqual([]);
    expect(run.tasks.at(-1)?.title).toBe("where the cluster can be reached");
    const labels = run.tasks.filter(({ title }) => title.includes("SELinux type"));
    const isLabelled = system.confinement === "selinux";
    expect(labels.map(({ title, outcome }) => [title, outcome])).toEqual([
      ["/mnt/datadisk1 has the SELinux type virt_image_t", isLabelled ? "changed" : "ok"],
      ["/srv/tftpboot/harvester has the SELinux type tftpdir_t", isLabelled ? "changed" : "ok"],
      ["/srv/tftpboot/harvester/ipxe.efi has the SELinux type tftpdir_t", isLabelled ? "changed" : "ok"],
    ]);
  });

  test("the roles accept a fresh host, and ask only for packages and units that SUSE has, and for furrow's own units", async () => {
    const run = await replay(harvester, fresh);
    expect(refusals(run)).toEqual([]);
    const { missing } = run;
    const names = missing.filter((id) => /^(package|packageOffer|unit|user|group|firewalld|apparmorProfile):/.test(id));
    const own = /^unit:(harvester-|socat-proxy)/;
    expect(names.filter((id) => !own.test(id))).toEqual(
      ["package:systemd-timesyncd", "user:root"].filter((id) => names.includes(id)),
    );
  });

  test("refuses a package whose file is elsewhere, and says how to find it", async () => {
    const run = await replay(harvester, installed, { state: { "file:/usr/share/ipxe/ipxe-x86_64.efi": absent } });
    expect(refusals(run)).toEqual([
      {
        what: "the package ipxe-bootimgs is installed, but /usr/share/ipxe/ipxe-x86_64.efi does not exist",
        hint: "Find the file in the package's list (rpm -ql ipxe-bootimgs, or dpkg -L ipxe-bootimgs), and link it: ln -s PATH /usr/share/ipxe/ipxe-x86_64.efi",
      },
    ]);
  });

  test("refuses a guest port that firewalld keeps closed if the roles must not open it, and says how to open it", async () => {
    const [refusal, ...others] = refusals(await replay(harvester, installed, { vars: { openFirewall: false } }));
    expect(others).toEqual([]);
    expect(refusal?.what).toBe("firewalld keeps port 80/tcp closed for the nodes (zone libvirt)");
    expect(refusal?.hint).toBe(
      "Set openFirewall: true, or open it: firewall-cmd --permanent --zone=libvirt --add-port=80/tcp, then firewall-cmd --reload",
    );
  });
});

const confined = systems.filter(([, { confinement }]) => confinement === "apparmor");

test.each(confined)(
  "on %s, refuses a TFTP root outside the profile, and says how to allow it",
  async (_name, system) => {
    const report = composedReport(system, true);
    const profile = "apparmorProfile:usr.sbin.dnsmasq";
    const { text } = report.facts[profile] as { text: string };
    const state: SimulatedState = { [profile]: { mode: "enforce", text: text.replace(" /srv/tftpboot", "") } };
    expect(refusals(await replay(harvester, report, { state }))).toEqual([
      {
        what: "AppArmor's profile dnsmasq does not allow reading /srv/tftpboot/harvester/ipxe.efi",
        hint: 'Add the line "/srv/tftpboot/harvester/** r," to /etc/apparmor.d/local/usr.sbin.dnsmasq, and run apparmor_parser -r /etc/apparmor.d/usr.sbin.dnsmasq',
      },
    ]);
  },
);
