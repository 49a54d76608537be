import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Playbook, playbook } from "../../../src/authoring.ts";
import * as t from "../../../tasks/index.ts";
import { covered } from "../../covered.ts";
import { destroy, destroyNetwork, provision, provisionNetwork } from "../ec2-books.ts";
import { dryRunsOf, withoutDryRun } from "./dry-runs.ts";
import { ec2FakeHere } from "../ec2-fake/here.ts";
import { ApiError, text } from "../ec2-fake/wire.ts";
import { runHere } from "../run-here.ts";

const fake = await ec2FakeHere();
const region = "eu-test-1";
const web = { name: "web", region };

/** Changes everything that furrow can change about a provisioned machine, and adds a group. */
const changeTo = (profile: string): Playbook =>
  playbook({
    name: "changes",
    plays: [
      {
        hosts: "all",
        tasks: () => [
          t.ec2KeyPair({ ...web, publicKey: `ssh-ed25519 ${"C".repeat(68)}` }),
          t.ec2SecurityGroup({ ...web, rules: [{ port: 8443, from: ["0.0.0.0/0"] }] }),
          t.ec2SecurityGroup({ name: "more", region, rules: [{ port: 25, from: ["192.0.2.7/32"] }] }),
          t.ec2Instance({
            ...web,
            type: "m8i.8xlarge",
            image: { owner: "099720109477", name: "ubuntu-noble-24.04-*" },
            securityGroups: ["web", "more"],
            nestedVirtualization: false,
            mayStop: true,
            rootDisk: { sizeGb: 60 },
            iamInstanceProfile: profile,
            terminationProtection: true,
            metadataHopLimit: 2,
            tags: { team: "network" },
          }),
          t.ec2Volume({ name: "web-data", region, sizeGb: 200, instance: "web", device: "/dev/sdg" }),
          t.ec2Address({ ...web, tags: { team: "network" } }),
        ],
      },
    ],
  });
const change = changeTo("web");

/** Runs a playbook, and compares its changes with the dry runs that preceded them. */
async function dryRunsIn(book: Playbook) {
  const from = fake.calls.length;
  const { tasks } = await runHere(book);
  return { ...dryRunsOf(fake.calls.slice(from)), outcomes: tasks.map(({ outcome }) => outcome) };
}

describe("EC2 gets a dry run of every planned call before the first change", () => {
  const books = [
    ["that creates a machine", [], provision],
    ["that changes a machine", [provision], change],
    ["that removes a machine", [provision], destroy],
    ["that creates a machine in its own network", [], provisionNetwork],
    ["that removes a machine and its network", [provisionNetwork], destroyNetwork],
  ] as const;
  let changes = 0;

  test.each(books)("of a run %s", async (_what, before, book) => {
    for (const earlier of before) await runHere(earlier);
    const found = await dryRunsIn(book);
    expect(found.outcomes).toEqual(found.outcomes.map(() => "changed"));
    expect(found.unasked.filter((action) => withoutDryRun[action] === undefined)).toEqual([]);
    changes += found.changes;
  });

  test("except for calls without a dry run in the API, all of which check mode lists", async () => {
    const notes: string[] = [];
    const check = async (book: Playbook): Promise<void> => {
      const { tasks } = await runHere(book, { mode: "check" });
      notes.push(...tasks.flatMap((task) => task.notes ?? []));
    };
    await check(provisionNetwork);
    await runHere(provision);
    await check(change);
    await runHere(change);
    await check(changeTo("other"));
    const said = (action: string): string =>
      expect.stringMatching(
        new RegExp(`^not known in advance: .* \\(EC2 offers no dry run of ${action}\\)$`),
      ) as string;
    expect(notes).toEqual(Object.keys(withoutDryRun).map(said));
    covered(`EC2: ${changes} changes in ${books.length} runs, with their dry runs before the first change`);
  });

  test("according to the SDK's own types", () => {
    const models = join(import.meta.dirname, "../../../node_modules/@aws-sdk/client-ec2/dist-types/models");
    const types = readdirSync(models)
      .map((file) => readFileSync(join(models, file), "utf8"))
      .join("\n");
    const input = (action: string): string => {
      const [, rest = ""] = types.split(`export interface ${action}Request {`);
      return rest.split("\n}")[0] ?? "";
    };
    const table = readFileSync(join(import.meta.dirname, "../../../src/cloud/ec2/permissions.ts"), "utf8");
    const actions = [...new Set([...table.matchAll(/"([A-Z]\w+)"/g)].map(([, action = ""]) => action))];
    const changing = actions.filter((action) => !action.startsWith("Describe"));
    expect(changing.length).toBeGreaterThan(30);
    expect(changing.filter((action) => input(action) === "")).toEqual([]);
    const without = changing.filter((action) => !/^ {4}DryRun\?/m.test(input(action)));
    expect(without.toSorted()).toEqual(Object.keys(withoutDryRun).toSorted());
  });
});

describe("a dry run with a placeholder for a resource that does not exist yet", () => {
  const notesOf = async (): Promise<string[]> => {
    const { tasks } = await runHere(provision, { mode: "check" });
    expect(tasks.flatMap(({ error }) => error ?? [])).toEqual([]);
    return tasks.flatMap(({ notes }) => notes ?? []);
  };

  test("leads to no note if EC2 would accept the call", async () => {
    expect(await notesOf()).toEqual([]);
  });

  test("reports a denied action by name, as unknown, because a policy may permit it on certain resources", async () => {
    const denied = [
      "AttachVolume",
      "AssociateAddress",
      "AuthorizeSecurityGroupIngress",
      "GetConsoleOutput",
      "CreateTags",
    ];
    fake.reset({ denied });
    const notes = await notesOf();
    for (const action of denied) {
      expect(notes).toContainEqual(
        expect.stringMatching(
          new RegExp(`^not known in advance: .* does not permit ec2:${action} on a resource that does not exist yet`),
        ),
      );
    }
  });

  test("names a call if EC2 looks for the missing resource before it checks the permissions", async () => {
    fake.reset({
      judge: ({ action, params }) =>
        action === "AttachVolume" && params["DryRun"] === "true"
          ? new ApiError("InvalidVolume.NotFound", `The volume '${text(params, "VolumeId") ?? ""}' does not exist.`)
          : undefined,
    });
    expect(await notesOf()).toEqual([
      "not known in advance: attach web-data to web (EC2 answers InvalidVolume.NotFound to AttachVolume, because a resource does not exist yet)",
    ]);
    expect((await runHere(provision)).tasks.map(({ outcome }) => outcome)).toEqual(provisioned);
  });

  test("still finds params that EC2 does not accept", async () => {
    fake.reset({
      judge: ({ action, params }) =>
        action === "AttachVolume" && params["DryRun"] === "true"
          ? new ApiError("InvalidParameterValue", "Value (/dev/sdf) for parameter device is invalid.")
          : undefined,
    });
    const { tasks } = await runHere(provision);
    expect(tasks.flatMap(({ error }) => error?.message ?? [])).toEqual([
      "cannot attach the volume web-data to web in eu-test-1",
    ]);
    expect(fake.calls.filter(({ mutating }) => mutating)).toEqual([]);
  });

  test("tests the launch in an existing subnet if the machine's own subnet does not exist yet", async () => {
    fake.reset();
    await runHere(provisionNetwork, { mode: "check" });
    const launches = fake.calls.filter(({ action }) => action === "RunInstances");
    const known = fake.world(region).subnets.map(({ id }) => id);
    expect(launches.map(({ params }) => known.includes(text(params, "SubnetId") ?? ""))).toEqual([true]);
  });
});

const provisioned = ["changed", "changed", "changed", "changed", "changed"];
