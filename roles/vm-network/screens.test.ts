import { expect, test } from "vitest";
import { playbook } from "../../src/authoring.ts";
import { reveal } from "../../src/core/secrets/secret.ts";
import { simulate, type Simulation } from "../../src/testing/index.ts";
import { clusterSchema } from "../cluster/cluster.ts";
import { hostPackages } from "../host-packages/role.ts";
import { vmNetwork } from "./role.ts";

const conf = "file:/etc/libvirt/qemu.conf";
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
  lasting: true,
  invocation: "x",
  since: 1_000_000,
  startedWith: {},
  reloadedWith: {},
  noted: 0,
  startedBefore: {},
};

const books = (given: object) =>
  playbook({
    name: "network of the nodes",
    plays: [
      {
        hosts: "all",
        become: true,
        tasks: ({ facts }) => {
          const vars = { disks: ["/dev/a"], token: "t", password: "password", firmware: "bios", ...given };
          return [vmNetwork({ cluster: clusterSchema.parse({ version: "v1.7.1", ...vars }), facts })];
        },
      },
    ],
  });

async function runWith(given: object, text: string, more: object = {}): Promise<Simulation> {
  const owned = { type: "file", mode: "0600", owner: "root", group: "root" };
  const state = {
    metal: {
      [conf]: { ...owned, text, changed: 0, ...more },
      "file:/etc/furrow-vnc-password-set": { ...owned, text: "" },
      "file:/etc/libvirt": { type: "directory" },
      "unit:libvirtd.service": daemon,
    },
  };
  return simulate(books(given), { hosts: ["metal"], state });
}

const textAfter = ({ state }: Simulation) => String((state["metal"]?.[conf] as { text?: string } | undefined)?.text);
const outcomes = ({ tasks }: Simulation) => Object.fromEntries(tasks.map(({ title, outcome }) => [title, outcome]));

const isSet = {
  "password of the nodes' screens": "changed",
  "libvirt with the password of the nodes' screens": "changed",
};
const isKept = {
  "password of the nodes' screens": "ok",
  "libvirt with the password of the nodes' screens": "ok",
};

test("a changed var vncPassword replaces the old password, and libvirt reads it", async () => {
  const run = await runWith({ vncPassword: "newer123" }, 'user = "root"\nvnc_password = "older123"\n');
  expect(outcomes(run)).toMatchObject(isSet);
  const text = reveal(textAfter(run));
  expect(text).toBe('user = "root"\nvnc_password = "newer123"\n');
  expect(outcomes(await runWith({ vncPassword: "newer123" }, text))).toMatchObject(isKept);
});

test("libvirt reads the var vncPassword even if the file sets two passwords", async () => {
  const run = await runWith({ vncPassword: "newer123" }, ' vnc_password = "older123"\nvnc_password = "newer123"');
  expect(reveal(textAfter(run))).toBe('vnc_password = "newer123"\n');
});

test("libvirt is restarted with the corrected password if its last restart failed", async () => {
  const text = 'vnc_password = "newer123"\n';
  const run = await runWith({ vncPassword: "newer123" }, text, { changed: daemon.since + 1 });
  expect(outcomes(run)).toMatchObject({ ...isKept, "libvirt with the password of the nodes' screens": "changed" });
});

test("a second controller does not replace the password that the first one generated", async () => {
  const text = "vnc_password = 'of-first'\n";
  const run = await runWith({}, text);
  expect(outcomes(run)).toMatchObject(isKept);
  expect(textAfter(run)).toBe(text);
});

test("a generated password is set if libvirt's file contains only the example", async () => {
  const run = await runWith({}, '#vnc_password = "XYZ12345"\n');
  expect(outcomes(run)).toMatchObject(isSet);
  expect(reveal(textAfter(run))).toMatch(/^#vnc_password = "XYZ12345"\nvnc_password = "[\w-]+"\n$/);
});

test.each(['quo"ted', String.raw`back\slash`, "new\nline"])(
  "refuses the password %j, with which libvirt would not start",
  (vncPassword) => {
    const vars = { disks: ["/dev/a"], token: "t", password: "password", vncPassword };
    expect(clusterSchema.safeParse(vars).error?.issues).toMatchObject([
      { path: ["vncPassword"], message: "a password without double quotes, backslashes and control characters" },
    ]);
  },
);

test("check mode accepts a host on which an earlier task will install libvirt", async () => {
  const vars = { disks: ["/dev/a"], token: "t", password: "password" };
  const book = playbook({
    name: "new host",
    plays: [
      {
        hosts: "all",
        become: true,
        tasks: ({ facts }) => {
          const cluster = clusterSchema.parse(vars);
          return [hostPackages({ cluster, facts }), vmNetwork({ cluster, facts })];
        },
      },
    ],
  });
  const run = await simulate(book, { hosts: ["metal"], mode: "check" });
  expect(outcomes(run)).toMatchObject({ "password of the nodes' screens": "undecided" });
});
