import { describe, expect, test } from "vitest";
import { playbook } from "../../../src/authoring.ts";
import type { SourceContext } from "../../../src/core/inventory/inventory-source.ts";
import { gceInventory } from "../../../src/cloud/gce/inventory.ts";
import { gcpHost, gcpHostSchema } from "../../../roles/gcp-host/role.ts";
import * as t from "../../../tasks/index.ts";
import { type GceFake, project, zone } from "../gce-fake/fake.ts";
import { eachWithGceFake } from "../gce-fake/here.ts";
import { type RunHere, runHere } from "../run-here.ts";

const account = "ann@example.com";
const robot = "ci@project-1.iam.gserviceaccount.com";
const key = "ssh-ed25519 AAAA me@here";
const place = { name: "harvester", project, zone };
const on = { "enable-oslogin": "TRUE" };

let fake: GceFake;
eachWithGceFake((made) => {
  fake = made;
  fake.settings.self = account;
});

/** The tasks of the role except the wait for a port, because that wait would open a connection. */
const provisioning = (vars: object = {}) => {
  const host = gcpHostSchema.parse({ project, publicKey: key, ...vars });
  const machine = gcpHost(host, ["192.0.2.7/32"]).slice(0, -1);
  return playbook({ name: "one", plays: [{ hosts: "all", tasks: () => machine }] });
};
const registering = (more: object = {}) =>
  playbook({ name: "one", plays: [{ hosts: "all", tasks: () => [t.gceOsLogin({ ...place, key, ...more })] }] });

const outcomes = ({ tasks }: RunHere) => tasks.map(({ title, outcome }) => `${title}: ${outcome}`);
const errors = ({ tasks }: RunHere): (string | undefined)[] =>
  tasks.flatMap(({ error }) => (error === undefined ? [] : [error.message, error.failure.hint]));
const notes = ({ tasks }: RunHere) => tasks.flatMap((task) => task.notes ?? []);
const metadataNow = (): Record<string, string> => {
  const instance = fake.state.get(`projects/${project}/zones/${zone}/instances/harvester`);
  const { items } = instance["metadata"] as { items: { key: string; value: string }[] };
  return Object.fromEntries(items.map((item) => [item.key, item.value]));
};
const registered = () => Object.values(fake.settings.logins[account]?.sshPublicKeys ?? {});

describe("a machine in a project that uses OS Login", () => {
  test("check says that the key would be registered, and registers nothing", async () => {
    fake.settings.projectMetadata = on;
    const check = await runHere(provisioning(), { mode: "check" });
    expect(errors(check)).toEqual([]);
    expect(outcomes(check)).toContain("gceOsLogin harvester: changed");
    expect(outcomes(check)).toContain("gceInstance harvester: changed");
    expect(fake.changes).toEqual([]);
    expect(fake.settings.logins).toEqual({});
  });

  test("the run registers the key with an expiry before it creates the machine, and a rerun changes nothing", async () => {
    fake.settings.projectMetadata = on;
    const from = Date.now();
    expect(errors(await runHere(provisioning()))).toEqual([]);
    expect(fake.changes[0]).toBe(`POST /oslogin/v1/users/${account}:importSshPublicKey`);
    const [stored] = registered() as { key: string; expirationTimeUsec: string }[];
    expect(stored?.key).toBe(key);
    const hours = (Number(stored?.expirationTimeUsec) / 1000 - from) / 3_600_000;
    expect(Math.round(hours)).toBe(168);
    expect(metadataNow()).toEqual({ "enable-guest-attributes": "TRUE" });
    const before = fake.changes.length;
    const again = await runHere(provisioning());
    expect(new Set(again.tasks.map(({ outcome }) => outcome))).toEqual(new Set(["ok"]));
    expect(notes(again)).toContainEqual(expect.stringMatching(/^the key expires at \d{4}-/));
    expect(fake.changes.slice(before)).toEqual([]);
  });

  test("the inventory logs in under the name in the profile", async () => {
    fake.settings.projectMetadata = on;
    await runHere(provisioning());
    const context: SourceContext = {
      signal: new AbortController().signal,
      folder: "/",
      notice: () => undefined,
      now: new Date(),
      cache: { remembered: (_key, _age, produce) => produce() },
    };
    expect((await gceInventory().list(context)).hosts).toMatchObject({ harvester: { user: "ann_example_com" } });
  });

  test("a key that expires soon is registered again, and one that never expires is left alone", async () => {
    fake.settings.projectMetadata = on;
    const posixAccounts = [{ username: "ann_example_com", primary: true }];
    const soon = String((Date.now() + 3_600_000) * 1000);
    fake.settings.logins = { [account]: { posixAccounts, sshPublicKeys: { a: { key, expirationTimeUsec: soon } } } };
    expect(outcomes(await runHere(registering()))).toEqual(["gceOsLogin harvester: changed"]);
    fake.settings.logins = { [account]: { posixAccounts, sshPublicKeys: { a: { key } } } };
    expect(outcomes(await runHere(registering()))).toEqual(["gceOsLogin harvester: ok"]);
  });

  test("a key can be removed", async () => {
    fake.settings.projectMetadata = on;
    await runHere(registering());
    expect(outcomes(await runHere(registering({ state: "absent" })))).toEqual(["gceOsLogin harvester: changed"]);
    expect(registered()).toEqual([]);
  });

  test("keys in the machine's metadata are refused by check and run, but accepted if that metadata turns OS Login off", async () => {
    fake.settings.projectMetadata = on;
    const machine = (metadata: Readonly<Record<string, string>>) => {
      const image = { project: "debian-cloud", family: "debian-12" };
      const sshKeys = [{ user: "admin", key }];
      const what = { ...place, machineType: "n2-standard-16", image, network: "lab", sshKeys, metadata };
      const tasks = [t.gceNetwork({ name: "lab", project }), t.gceInstance(what)];
      return playbook({ name: "one", plays: [{ hosts: "all", tasks: () => tasks }] });
    };
    for (const mode of ["check", "apply"] as const) {
      const [message, hint] = errors(await runHere(machine({}), { mode }));
      expect(message).toBe("the metadata of project-1 turns on OS Login, so harvester would ignore its sshKeys");
      expect(hint).toContain("register your key with gceOsLogin");
    }
    expect(errors(await runHere(machine({ "enable-oslogin": "FALSE" })))).toEqual([]);
  });
});

describe("a machine in a project that does not use OS Login", () => {
  test("has its key in its metadata, and no key is registered with OS Login", async () => {
    expect(errors(await runHere(provisioning()))).toEqual([]);
    expect(metadataNow()).toEqual({ "enable-guest-attributes": "TRUE", "ssh-keys": `furrow:${key}` });
    expect(fake.calls.filter((call) => call.includes("/oslogin/"))).toEqual([]);
  });

  test("uses OS Login if the role says so", async () => {
    expect(errors(await runHere(provisioning({ osLogin: true })))).toEqual([]);
    expect(metadataNow()).toEqual({ "enable-guest-attributes": "TRUE", ...on });
    expect(registered()).toHaveLength(1);
  });

  test("uses OS Login if the organization's policy requires it", async () => {
    fake.settings.policies = { "compute.requireOsLogin": [{ enforce: true }] };
    expect(errors(await runHere(provisioning()))).toEqual([]);
    expect(metadataNow()).toEqual({ "enable-guest-attributes": "TRUE", ...on });
  });
});

describe("check and run refuse a login that OS Login would refuse, and say why and what to do", () => {
  const obstacles: readonly (readonly [title: string, set: () => unknown, more: object, says: RegExp, hint: RegExp])[] =
    [
      [
        "the policy requires OS Login, but the playbook turns it off",
        () => (fake.settings.policies = { "compute.requireOsLogin": [{ enforce: true }] }),
        { enabled: false },
        /the organization's policy requires OS Login in project-1/,
        /ask an administrator of the organization/,
      ],
      [
        "a second factor",
        () => (fake.settings.projectMetadata = { ...on, "enable-oslogin-2fa": "TRUE" }),
        {},
        /asks people for a second factor on harvester.*ann@example\.com/,
        /Use a service account/,
      ],
      [
        "no role",
        () => [
          (fake.settings.projectMetadata = on),
          fake.settings.denied.add("compute.instances.osAdminLogin").add("compute.instances.osLogin"),
        ],
        {},
        /ann@example\.com is not allowed to log in to harvester/,
        /roles\/compute\.osAdminLogin/,
      ],
      [
        "credentials that do not reveal their account",
        () => [(fake.settings.projectMetadata = on), (fake.settings.self = "")],
        {},
        /the credentials do not say which account they belong to/,
        /Name the account/,
      ],
      [
        "metadata of the project that cannot be read",
        () =>
          fake.planned.push({
            on: /^GET projects\/project-1$/,
            status: 403,
            reason: "forbidden",
            message: "Required 'compute.projects.get' permission",
            times: 9,
          }),
        {},
        /the metadata of project-1, which may turn on OS Login, cannot be read/,
        /Allow compute\.projects\.get/,
      ],
      [
        "an API that is not enabled",
        () => [(fake.settings.projectMetadata = on), fake.settings.closed.add("oslogin")],
        {},
        /cannot read the profile of ann@example\.com with OS Login/,
        /gcloud services enable oslogin\.googleapis\.com/,
      ],
      [
        "the profile of somebody else",
        () => [
          (fake.settings.projectMetadata = on),
          fake.planned.push({ on: /loginProfile/, status: 403, reason: "PERMISSION_DENIED", message: "No", times: 9 }),
        ],
        { account: "bob@example.com" },
        /cannot read the profile of bob@example\.com with OS Login/,
        /Use credentials of this account/,
      ],
    ];
  test.each(obstacles)("%s", async (_title, set, more, says, hint) => {
    set();
    for (const mode of ["check", "apply"] as const) {
      const found = errors(await runHere(registering(more), { mode }));
      expect([mode, ...found]).toEqual([mode, expect.stringMatching(says), expect.stringMatching(hint)]);
    }
    expect(fake.changes).toEqual([]);
  });

  test("a key that the API refuses makes the task fail", async () => {
    fake.settings.projectMetadata = on;
    const [message] = errors(await runHere(registering({ key: "nonsense AAAA" })));
    expect(message).toContain(`cannot register an SSH key for ${account} with OS Login`);
  });

  test("a service account is not asked for a second factor", async () => {
    fake.settings.projectMetadata = { ...on, "enable-oslogin-2fa": "TRUE" };
    expect(outcomes(await runHere(registering({ account: robot })))).toEqual(["gceOsLogin harvester: changed"]);
  });

  test("a role without sudo and a role under a condition are reported as notes", async () => {
    fake.settings.projectMetadata = on;
    fake.settings.denied.add("compute.instances.osAdminLogin");
    expect(notes(await runHere(registering(), { mode: "check" }))).toContainEqual(
      expect.stringContaining("but cannot use sudo"),
    );
    fake.settings.conditional = [["projects/project-1", "roles/compute.osAdminLogin"]];
    expect(notes(await runHere(registering(), { mode: "check" }))).toContainEqual(
      expect.stringMatching(
        /^not known in advance: whether the account is allowed to log in \(roles are granted under a condition/,
      ),
    );
  });
});
