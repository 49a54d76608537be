import { expect, test } from "vitest";
import harvester from "../../playbooks/harvester.ts";
import { secretOf } from "../../src/core/secrets/secret.ts";
import { reportText } from "../../src/field/format.ts";
import { fieldReport, type Gathered } from "../../src/field/report.ts";
import { distributions, emptyHost } from "../playbooks/empty-host.ts";
import { needlesOf } from "../secrets/needles.ts";
import { recorded } from "./recorded.ts";

/**
 * Values that a real host could have in its facts and that must not be in a report, each with the place where it is
 * planted.
 */
const planted = {
  hostname: "db-prod-7.acme-corp.example",
  user: "alice.o'neil",
  userInPath: "wonderland",
  password: "hunter2-Sup3rS3cret",
  apiKey: "AKIAIOSFODNN7EXAMPLE",
  share: "fileserver9.acme-corp.example",
  project: "payroll-2031",
  serial: "S3Z8NB0K123456",
  numericSerial: "4711",
  uuid: "6a2c1f5e-9d3b-4e7a-8f10-2b5c6d7e8f90",
  mac: "9c:8e:99:aa:bb:cc",
  publicAddress: "8.8.4.4",
  publicAddress6: "2a01:4f8:c0c:1234::7",
  allowedClient: "81.2.69.142",
  bucket: "acme-backups-eu",
  consolePassword: "Tr0ub4dor-and-3",
  joinToken: "K10ddfe::server:9f2c",
  keyComment: "alice@thinkpad",
  label: "ALICE-HOME",
  agent: "acme-monitoring-agent",
  machineId: "0123456789abcdef0123456789abcdef",
  domain: "alices-windows-vm",
  interfaceName: "enx9c8e99aabbcc",
  owner: "wonderworker",
  marker: "moving to Reykjavik",
} as const;

const size = { processors: 1, memoryMiB: 512, diskGiB: 2 };
const disk = `/dev/disk/by-id/ata-ST4000_${planted.serial}`;
const digest = "5".repeat(128);

function host(): Parameters<typeof recorded>[1] {
  const base = emptyHost(distributions.sles);
  const [blank] = Object.entries(base).filter(([id]) => id === "block-device:/dev/disk/by-id/a");
  const [content] = Object.entries(base).filter(([id]) => id === "disk-content:/dev/disk/by-id/a");
  const layout = { ...(blank?.[1] as object), serial: planted.serial, uuid: planted.uuid, label: planted.label };
  const raw = Buffer.from(`${"\0".repeat(600)}${planted.password}`).toString("base64");
  const self = base["host:self"] as { readonly os: object };
  return {
    name: planted.hostname,
    address: planted.publicAddress,
    groups: [planted.bucket],
    vars: {
      size,
      disks: [disk],
      prefix: "acme",
      token: secretOf(planted.joinToken, "token"),
      password: secretOf(planted.password, "password"),
      sshAuthorizedKeys: [
        `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIF2ONPijadkNFbmxkrMXbBuzCUTeTlGj6se24Uv95vdv ${planted.keyComment}`,
      ],
      exposure: { from: [`${planted.allowedClient}/32`] },
      config: { os: { writeFiles: [{ path: "/etc/x", content: planted.apiKey }] } },
    },
    state: {
      ...base,
      "host:self": {
        ...self,
        hostname: planted.hostname,
        addresses: { eth0: [`${planted.publicAddress}/24`], [planted.interfaceName]: ["10.0.0.5/24"] },
      },
      "file:/etc/machine-id": { text: `${planted.machineId}\n` },
      "file:/etc/fstab": {
        text: `UUID=${planted.uuid} / ext4 defaults 0 1\n${planted.share}:/export/${planted.project} /home/${planted.userInPath} nfs user=${planted.user},password=${planted.password} 0 0\n`,
      },
      "file:/etc/furrow-maintenance": { text: "" },
      "file:/etc/nginx/nginx.conf": { text: `proxy_set_header X-Key ${planted.apiKey};\n`, owner: planted.owner },
      "file:/etc/nftables.conf": { text: `# ${planted.project}\nip saddr ${planted.allowedClient} accept\n` },
      "crontab:root": {
        text: `5 4 * * * PGPASSWORD=${planted.password} backup s3://${planted.bucket} ${planted.user}\n`,
      },
      [`block-device:${disk}`]: layout,
      [`disk-content:${disk}`]: { ...(content?.[1] as object), data: "start", head: raw },
      "disks:all": [
        { path: "/dev/sda", sizeBytes: 1, serial: planted.numericSerial, ids: [`ata-ST4000_${planted.serial}`] },
      ],
      "apparmorProfile:usr.sbin.dnsmasq": {
        mode: "complain",
        text: `profile dnsmasq /usr/sbin/dnsmasq {\n  /home/${planted.userInPath}/${planted.project}/** r,\n}\n`,
      },
      "firewalld:default zone": {
        daemon: "stopped",
        zone: `zone-${planted.project}`,
        runtime: {
          target: "ACCEPT",
          services: {},
          ports: {},
          rules: { [`rule source mac="${planted.mac}" drop`]: true },
        },
        permanent: {
          target: "ACCEPT",
          services: {},
          ports: {},
          rules: { [`rule family="ipv6" source address="${planted.publicAddress6}" accept`]: true },
        },
      },
      "libvirt:system": {
        daemon: "up",
        problem: "",
        networks: {},
        domains: {
          [planted.domain]: { active: true, disks: [`/data/${planted.project}.img`], networks: [], bridges: [] },
        },
        links: { [planted.interfaceName]: [] },
      },
      "packagePlan:x": {
        installs: [],
        removes: [planted.agent],
        reason: `${planted.agent} is held by ${planted.owner}`,
      },
      "user:root": { comment: planted.user, home: `/home/${planted.userInPath}` },
      [`fileTail:{"path":"/var/log/libvirt/qemu/acme-1-serial.log","lines":20}`]: {
        text: `login: ${planted.user}\npassword: ${planted.consolePassword}\ntoken=${planted.joinToken}\n`,
      },
      [`hostHttp:${JSON.stringify({ url: "https://192.168.130.120/ping", timeoutSeconds: 10, insecure: true })}`]: {
        status: 200,
        body: `{"token":"${planted.apiKey}"}`,
        headers: { "set-cookie": planted.consolePassword },
      },
    },
    drivers: {
      http: () => ({
        status: 200,
        headers: { etag: planted.apiKey },
        body: `${digest}  harvester-v1.8.1-amd64.iso\n${planted.marker}\n`,
      }),
    },
  };
}

/** All facts of the host, including facts that the recorded check did not read. Recorded once. */
let reading: Promise<Gathered> | undefined;
async function gathered(): Promise<Gathered> {
  const one = host();
  reading ??= recorded(harvester, one);
  const found = await reading;
  for (const [id, value] of Object.entries(one.state)) {
    if (!found.recorder.facts.has(id)) found.recorder.facts.set(id, value);
  }
  return { ...found, names: [planted.user] };
}

/** The parts of a planted value that do not occur in every report. */
const parts = (value: string): string[] =>
  value.split(/[^\p{L}\p{N}]+/u).filter((part) => /^(?=.*\D).{6,}$/u.test(part));

test("no value planted in a host's facts is in its report, in any spelling", async () => {
  const found = await gathered();
  // Make sure that the values reach the report's input; otherwise the test could not fail.
  const seen = JSON.stringify([[...found.recorder.facts], [...found.recorder.answers], found.host, found.vars]);
  const missed = Object.entries(planted).filter(([, value]) => !seen.includes(JSON.stringify(value).slice(1, -1)));
  expect(missed).toEqual([]);
  const bytes = Buffer.from(reportText(fieldReport(found)), "utf8");
  const text = bytes.toString("latin1").toLowerCase();
  const leaks = Object.entries(planted).flatMap(([name, value]) => {
    const forms = [...needlesOf(value), Array.from(value).toReversed().join(""), value, ...parts(value)];
    return forms
      .filter((form) => form.length >= 4 && text.includes(form.toLowerCase()))
      .map((form) => `${name}: ${form}`);
  });
  expect(leaks).toEqual([]);
});

test("a redaction rule that lets a name through is noticed before the report is written", async () => {
  const found = await gathered();
  // Versions are not redacted word by word.
  found.recorder.facts.set("package:x", { version: planted.hostname });
  expect(() => fieldReport(found)).toThrow("the field report would contain a name or a secret");
  found.recorder.facts.set("package:x", { version: "web7" });
  expect(() => fieldReport({ ...found, names: ["web7"] })).toThrow("the field report would contain a name");
  found.recorder.facts.set("package:x", { version: planted.publicAddress });
  expect(() => fieldReport(found)).toThrow("the field report would contain a name");
  found.recorder.facts.set("package:x", { version: planted.password });
  expect(() => fieldReport(found)).toThrow("the field report would contain a name or a secret");
  found.recorder.facts.delete("package:x");
});

test("a host name that also occurs in other words, or as the name of one of furrow's parts, causes no false alarm", async () => {
  const found = await gathered();
  for (const name of ["record", "services", "pack", "203.0.113.1"]) {
    expect(() => fieldReport({ ...found, host: { name, address: name, groups: [] } })).not.toThrow();
  }
});

test("the report keeps what a replay needs: equal names for equal objects, and public lists of checksums", async () => {
  const report = fieldReport(await gathered());
  const [path] = report.vars["disks"] as string[];
  expect(report.facts[`block-device:${path}`]).toMatchObject({ type: "disk", sizeBytes: 53_687_091_200 });
  expect(JSON.stringify(report.facts["disks:all"])).toContain(path?.slice("/dev/disk/by-id/".length));
  expect(Object.values(report.answers)[0]).toMatchObject({ body: `${digest}  harvester-v1.8.1-amd64.iso\n` });
  expect(report.leftOut).toEqual(["acceptance", "var config", "var sshAuthorizedKeys"]);
});

test("two reports of one host share nothing that would identify the host", async () => {
  const found = await gathered();
  const [one, two] = [fieldReport(found), fieldReport(found)] as const;
  const id = "file:/etc/machine-id";
  expect(one.facts[id]).toMatchObject({ text: expect.stringMatching(/^[\da-f]{32}\n$/) as string });
  expect(one.facts[id]).not.toEqual(two.facts[id]);
});
