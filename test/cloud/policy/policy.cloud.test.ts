import { describe, expect, test } from "vitest";
import { findDriver } from "../../../src/cli/drivers/index.ts";
import { Policy } from "../../../src/cli/run/policy/policy.ts";
import { type Playbook, playbook } from "../../../src/authoring.ts";
import * as t from "../../../tasks/index.ts";
import * as ec2 from "../ec2-books.ts";
import { ec2FakeHere } from "../ec2-fake/here.ts";
import * as gce from "../gce-books.ts";
import { type GceFake, project, zone } from "../gce-fake/fake.ts";
import { eachWithGceFake } from "../gce-fake/here.ts";
import { furrow } from "../furrow.ts";
import { runHere } from "../run-here.ts";
import { notAllowed, type Statement } from "./evaluate.ts";

/** The policy that `check --print-policy` prints for a playbook. */
async function policyOf(book: Playbook): Promise<ReturnType<Policy["result"]>> {
  const policy = new Policy();
  const { events } = await runHere(book, { mode: "check", drivers: policy.recording(findDriver) });
  for (const event of events) policy.take(event);
  return policy.result();
}

const fake = await ec2FakeHere();

describe("the policy that check prints for EC2", () => {
  /** The actions of all calls of a run; tags in a call need the permission to create tags. */
  const usedBy = async (book: Playbook): Promise<Set<string>> => {
    const { calls } = fake;
    const before = calls.length;
    await runHere(book);
    return new Set(
      calls
        .slice(before)
        .flatMap(({ action, params }) => [
          `ec2:${action}`,
          ...("TagSpecification" in params ? ["ec2:CreateTags"] : []),
        ]),
    );
  };

  /** Needed only in cases that the fake does not cover: another response from EC2, or another quota. */
  const elsewhere = new Set(["ec2:DescribeInstances", "ec2:ReplaceRoute", "servicequotas:GetServiceQuota"]);

  test.each([
    ["a machine", ec2.provision, ec2.destroy],
    ["a machine in its own network", ec2.provisionNetwork, ec2.destroyNetwork],
  ] as const)(
    "has every action of a run that creates and then removes %s, and no other",
    async (_what, create, remove) => {
      fake.reset();
      for (const book of [create, remove]) {
        const { complete, aws } = await policyOf(book);
        const statements = (aws as { Statement: Statement[] }).Statement;
        const printed = new Set(statements.flatMap(({ Action }) => Action));
        const refused: string[] = [];
        fake.keep({
          judge: (call) => {
            if (call.mutating) refused.push(...notAllowed(statements, call, fake.world(call.region)));
            return undefined;
          },
        });
        const used = await usedBy(book);
        fake.keep({});
        expect(complete).toBe(true);
        expect(refused).toEqual([]);
        expect([...used].filter((action) => !printed.has(action))).toEqual([]);
        expect([...printed].filter((action) => !used.has(action) && !elsewhere.has(action))).toEqual([]);
      }
    },
  );

  test("names resources by type and region, and requires furrow's tag on what furrow changes", async () => {
    fake.reset();
    const created = (await policyOf(ec2.provision)).aws as { Statement: Statement[] };
    const arn = (type: string): string => `arn:aws:ec2:eu-test-1:*:${type}/*`;
    const withAction = (name: string) => created.Statement.filter(({ Action }) => Action.includes(name));
    expect(withAction("ec2:AttachVolume")).toEqual([
      expect.objectContaining({ Resource: [arn("instance")] }),
      expect.objectContaining({ Condition: { Null: { "aws:ResourceTag/furrow": "false" } } }),
    ]);
    const everything = created.Statement.filter(({ Resource }) => Resource === "*").flatMap(({ Action }) => Action);
    expect(everything.filter((name) => !/^(ec2:Describe|servicequotas:Get)/.test(name))).toEqual([]);
  });

  test("permits the use of keys and of an instance profile's role", async () => {
    fake.reset();
    const key = "arn:aws:kms:eu-test-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab";
    const machine = { name: "web", region: "eu-test-1", type: "m8i.4xlarge", image: { id: "ami-new" } };
    const book = playbook({
      name: "keys",
      plays: [
        {
          hosts: "all",
          tasks: () => [
            t.ec2Instance({ ...machine, iamInstanceProfile: "web", rootDisk: { sizeGb: 40, kmsKey: key } }),
          ],
        },
      ],
    });
    const { Statement } = (await policyOf(book)).aws as { Statement: Statement[] };
    expect(Statement).toContainEqual({
      Effect: "Allow",
      Action: ["iam:PassRole"],
      Resource: ["arn:aws:iam::*:role/*"],
      Condition: { StringEquals: { "iam:PassedToService": "ec2.amazonaws.com" } },
    });
    expect(Statement).toContainEqual({
      Effect: "Allow",
      Action: ["kms:Decrypt", "kms:DescribeKey", "kms:GenerateDataKeyWithoutPlaintext", "kms:ReEncrypt*"],
      Resource: [key],
      Condition: { StringLike: { "kms:ViaService": "ec2.eu-test-1.amazonaws.com" } },
    });
    expect(Statement).toContainEqual({
      Effect: "Allow",
      Action: ["kms:CreateGrant"],
      Resource: [key],
      Condition: { Bool: { "kms:GrantIsForAWSResource": "true" } },
    });
  });

  test("is printed by run --check too, but by no real run", async () => {
    const words = ["run", "playbooks/clouds/destroy-cloud.ts", "-i", "local", "--print-policy"];
    const refused = await furrow(...words);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain("--print-policy prints what a check finds, but this is a run");
  });

  test("is printed even if the credentials lack permissions for the planned calls", async () => {
    fake.reset({ denied: ["ImportKeyPair", "RunInstances"] });
    expect((await policyOf(ec2.provision)).complete).toBe(true);
    expect(fake.calls.filter(({ params, mutating }) => mutating || params["DryRun"] === "true")).toEqual([]);
  });

  test("is printed after the report, and with --json as the last line", async () => {
    const words = [
      "check",
      "playbooks/clouds/provision-aws.ts",
      "-i",
      "local",
      "--print-policy",
      "--var",
      "region=eu-test-1",
    ];
    const vars = ["--var", `publicKey=ssh-ed25519 ${"B".repeat(68)} me`, "--var", 'manageFrom=["192.0.2.7/32"]'];
    const text = await furrow(...words, ...vars);
    expect(text.code, text.stderr).toBe(0);
    const [, policy = ""] = text.stdout.split("IAM policy for Amazon EC2:\n");
    const { Statement } = JSON.parse(policy) as { Statement: (Statement & { Effect: string })[] };
    expect(Statement.every(({ Effect }) => Effect === "Allow")).toBe(true);
    expect(Statement.flatMap(({ Action }) => Action)).toContain("ec2:RunInstances");
    const json = await furrow(...words, ...vars, "--json");
    const last = JSON.parse(json.stdout.trimEnd().split("\n").at(-1) ?? "") as object;
    expect(last).toEqual({ type: "policy", complete: true, aws: { Version: "2012-10-17", Statement } });
  }, 600_000);

  test("is not complete if the check ends early", async () => {
    fake.reset({ denied: ["DescribeImages"] });
    expect((await policyOf(ec2.provision)).complete).toBe(false);
  });
});

describe("the permissions that check prints for Google", () => {
  let google: GceFake;
  eachWithGceFake((made) => {
    google = made;
  });

  /** The permission that a call of the API always needs; undefined for queries that a run can do without. */
  const permissionOf = (call: string): string | undefined => {
    const [method = "", path = ""] = call.split(" ");
    const parts = path.split("?")[0]?.split("/") ?? [];
    if (parts[0] !== "projects" || parts[1] !== project) return undefined;
    if (parts.length === 2) return "compute.projects.get";
    const at = parts[2] === "global" ? 3 : 4;
    const [collection, name, action] = parts.slice(at);
    if (collection === undefined) return undefined;
    if (collection === "operations") {
      const scope = { zones: "zone", regions: "region" }[parts[2] ?? ""] ?? "global";
      return `compute.${scope}Operations.${name === undefined ? "list" : "get"}`;
    }
    if (action === "testIamPermissions") return undefined;
    const verb =
      action ?? { GET: name === undefined ? "list" : "get", POST: "create", DELETE: "delete", PATCH: "update" }[method];
    return `compute.${collection}.${verb}`;
  };

  test("include the permissions to use a service account and to read a key", async () => {
    const email = `web@${project}.iam.gserviceaccount.com`;
    const key = `projects/keys/locations/europe-west3/keyRings/lab/cryptoKeys/disks`;
    google.settings.accounts.add(email);
    google.settings.keys = { [key]: "ENABLED" };
    const machine = { name: "web", project, zone, machineType: "n2-standard-16", network: "lab" };
    const image = { project: "debian-cloud", family: "debian-12" };
    const book = playbook({
      name: "account",
      plays: [
        {
          hosts: "all",
          tasks: () => [
            t.gceNetwork({ name: "lab", project }),
            t.gceInstance({ ...machine, image, serviceAccount: { email }, bootDisk: { sizeGb: 20, kmsKey: key } }),
          ],
        },
      ],
    });
    expect((await policyOf(book)).google).toMatchObject({
      [`projects/${project}/serviceAccounts/${email}`]: ["iam.serviceAccounts.actAs"],
      [key]: ["cloudkms.cryptoKeys.get"],
    });
  });

  test("include the permission for every call of a run that creates and then removes a machine, and no others", async () => {
    for (const book of [gce.provision, gce.destroy]) {
      const { complete, google: lists } = await policyOf(book);
      const printed = (lists as Record<string, string[]>)[project] ?? [];
      const before = google.calls.length;
      google.asked.clear();
      await runHere(book);
      const used = new Set(google.calls.slice(before).flatMap((call) => permissionOf(call) ?? []));
      expect(complete).toBe(true);
      expect([...used].filter((name) => !printed.includes(name))).toEqual([]);
      // The run itself queries the additional permissions that a call needs, such as the permission to use a disk.
      expect(printed.filter((name) => !used.has(name) && !google.asked.has(name))).toEqual([]);
    }
  });
});
