import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { playbook } from "../../src/authoring.ts";
import { reveal } from "../../src/core/secrets/secret.ts";
import { simulate, type Simulation } from "../../src/testing/index.ts";
import { clusterSchema } from "../cluster/cluster.ts";
import { hostPackages } from "../host-packages/role.ts";
import { vmNetwork } from "./role.ts";
import { programText } from "./screen-password.ts";

const passwordFile = "file:/etc/furrow-vnc-password";
const folder = mkdtempSync(join(tmpdir(), "furrow-screens-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const daemon = {
  load: "loaded",
  active: "active",
  sub: "running",
  file: "enabled",
  type: "notify",
  state: "started",
  enabled: true,
  masked: false,
  outdated: false,
  reloadable: true,
  refusesStart: false,
  refusesStop: false,
  lasting: true,
  invocation: "x",
  since: 1_000_000,
  startedWith: {},
  reloadedWith: {},
  noted: 0,
  startedBefore: {},
};

const required = { disks: ["/dev/a"], token: "t", password: "password", firmware: "bios", version: "v1.7.1" };

const books = (given: object) =>
  playbook({
    name: "network of the nodes",
    plays: [
      {
        hosts: "all",
        become: true,
        tasks: ({ facts }) => [vmNetwork({ cluster: clusterSchema.parse({ ...required, ...given }), facts })],
      },
    ],
  });

/** Runs the role on a host whose libvirt has been running for a second, with this text in the password's file. */
async function runWith(given: object, text?: string, changed = 0): Promise<Simulation> {
  const old = { type: "file", mode: "0600", owner: "root", group: "root", text, changed };
  const state = { metal: { "unit:libvirtd.service": daemon, ...(text !== undefined && { [passwordFile]: old }) } };
  return simulate(books(given), { hosts: ["metal"], state });
}

const textAfter = ({ state }: Simulation) =>
  String((state["metal"]?.[passwordFile] as { text?: string } | undefined)?.text);
const outcomes = ({ tasks }: Simulation) => Object.fromEntries(tasks.map(({ title, outcome }) => [title, outcome]));
const both = (outcome: string) => ({
  "password of the nodes' screens": outcome,
  "service libvirtd": outcome,
});

test("a changed var vncPassword replaces the old password, and libvirt is restarted", async () => {
  const run = await runWith({ vncPassword: "newer123" }, "older123\n");
  expect(outcomes(run)).toMatchObject(both("changed"));
  expect(reveal(textAfter(run))).toBe("newer123\n");
  expect(outcomes(await runWith({ vncPassword: "newer123" }, "newer123\n"))).toMatchObject(both("ok"));
});

test("libvirt is restarted if the restart with the password failed the last time", async () => {
  const run = await runWith({ vncPassword: "newer123" }, "newer123\n", daemon.since + 1);
  expect(outcomes(run)).toMatchObject({ ...both("ok"), "service libvirtd": "changed" });
});

test("a second controller does not replace the password that the first one generated", async () => {
  const run = await runWith({}, "of-first\n");
  expect(outcomes(run)).toMatchObject(both("ok"));
  expect(textAfter(run)).toBe("of-first\n");
});

test("a generated password is set on a host without one", async () => {
  expect(outcomes(await runWith({}))).toMatchObject(both("changed"));
});

test.each(['quo"ted', String.raw`back\slash`, "new\nline"])(
  "refuses the password %j, with which libvirt would not start",
  (vncPassword) => {
    expect(clusterSchema.safeParse({ ...required, vncPassword }).error?.issues).toMatchObject([
      { path: ["vncPassword"], message: "a password without double quotes, backslashes or control characters" },
    ]);
  },
);

test.each([{ vncPassword: "newer123" }, {}])(
  "check mode on a host without libvirt shows the new password: %j",
  async (given) => {
    const book = playbook({
      name: "new host",
      plays: [
        {
          hosts: "all",
          become: true,
          tasks({ facts }) {
            const cluster = clusterSchema.parse({ ...required, ...given });
            return [hostPackages({ cluster, facts }), vmNetwork({ cluster, facts })];
          },
        },
      ],
    });
    const run = await simulate(book, { hosts: ["metal"], mode: "check" });
    expect(outcomes(run)).toMatchObject(both("changed"));
  },
);

test.each([
  { old: 'user = "root"\n#vnc_password = "XYZ12345"\n', expected: 'user = "root"\n#vnc_password = "XYZ12345"\nP' },
  { old: "a = 1\n vnc_password='of hand'\nvnc_password = \"second\"", expected: "a = 1\nP" },
  { old: 'vnc_password = "n&w $1"\na = 1\n', expected: 'vnc_password = "n&w $1"\na = 1\n' },
  { old: "", expected: "P" },
])("the program changes $old", ({ old, expected }) => {
  const [conf, password] = [join(folder, "qemu.conf"), join(folder, "password")];
  writeFileSync(conf, old);
  writeFileSync(password, "n&w $1\n");
  const text = programText.replace("/etc/libvirt/qemu.conf", conf).replace("/etc/furrow-vnc-password", password);
  for (let run = 0; run < 2; run += 1) {
    execFileSync("sh", ["-c", text]);
    expect(readFileSync(conf, "utf8")).toBe(expected.replace("P", 'vnc_password = "n&w $1"\n'));
  }
});
