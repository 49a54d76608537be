import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Ec2Fake, startEc2Fake } from "./ec2-fake/fake.ts";
import { fill } from "./ec2-fake/fill.ts";
import { GceFake, project, zone } from "./gce-fake/fake.ts";
import { meet, type Met, type Obstacle } from "./obstacles.ts";

/** Vars for both provisioning playbooks, so that furrow does not ask a service for this machine's public address. */
const always = [`publicKey=ssh-ed25519 ${"B".repeat(68)} me@here`, 'manageFrom=["192.0.2.7/32"]'];

function expectMet({ code, errors, times }: Met, { says, hint, call, times: most = 1 }: Obstacle): void {
  expect(code).toBe(1);
  const [first] = errors;
  expect(`${first?.what} | ${first?.current}`).toMatch(says);
  expect(first?.hint).toMatch(hint);
  // There is one message in total, not one message for each failed query.
  expect(errors).toHaveLength(1);
  expect(times).toBeLessThanOrEqual(call === undefined ? 0 : most);
  expect(times).toBeGreaterThanOrEqual(call === undefined ? 0 : 1);
}

describe("provision-aws", () => {
  let fake: Ec2Fake;
  beforeAll(async () => {
    fake = await startEc2Fake();
  });
  beforeEach(() => fake.reset());
  afterAll(() => fake.close());

  const region = "eu-test-1";
  const login = { AWS_ACCESS_KEY_ID: "TEST", AWS_SECRET_ACCESS_KEY: "test", AWS_PROFILE: "", AWS_REGION: region };
  const obstacles: readonly Obstacle[] = [
    {
      title: "missing credentials",
      env: { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "" },
      says: /Could not load credentials/,
      hint: /^Log in to AWS: set AWS_PROFILE/,
    },
    {
      title: "expired credentials",
      env: { AWS_ACCESS_KEY_ID: "EXPIRED" },
      says: /RequestExpired/,
      hint: /^Log in to AWS again/,
      call: /DescribeKeyPairs/,
    },
    {
      title: "unknown credentials",
      env: { AWS_ACCESS_KEY_ID: "UNKNOWN" },
      says: /AuthFailure/,
      hint: /^Check the credentials/,
      call: /DescribeKeyPairs/,
    },
    {
      title: "read-only credentials",
      env: { AWS_ACCESS_KEY_ID: "READONLY" },
      says: /credentials in use do not permit ec2:ImportKeyPair.*no permission ec2:ImportKeyPair/,
      hint: /^Ask an administrator of the account/,
      call: /ImportKeyPair/,
    },
    {
      title: "a missing region",
      env: { AWS_REGION: "" },
      says: /Region is missing/,
      hint: /^Set AWS_REGION, --var region=… in the clouds playbooks/,
    },
    {
      title: "a region that does not exist",
      // The real SDK would resolve ec2.REGION.amazonaws.com, which a test must not do.
      env: { AWS_ENDPOINT_URL: "http://ec2.eu-west-33.invalid" },
      vars: ["region=eu-west-33"],
      says: /in eu-west-33 \| .*(ENOTFOUND|EAI_AGAIN)/,
      hint: /^Correct the region's name/,
    },
    {
      title: "an exhausted quota",
      before: () => fake.reset({ quota: 0 }),
      says: /cannot launch harvester.*VcpuLimitExceeded/,
      hint: /^Ask for a higher quota/,
      call: /RunInstances/,
    },
    {
      title: "missing capacity",
      before: () => fake.reset({ soldOut: ["m8i.4xlarge"] }),
      says: /cannot launch harvester.*InsufficientInstanceCapacity/,
      hint: /^Choose another zone or another type/,
      call: /RunInstances/,
      // The SDK treats this as a server error, which it retries for about 3 s.
      times: 6,
    },
    {
      title: "an unknown image",
      vars: ['image={"id":"ami-0abc"}'],
      says: /the region has no image ami-0abc/,
      hint: /^[A-Z][a-z]+ /,
      call: /DescribeImages/,
    },
    {
      title: "a type without nested virtualization",
      vars: ["type=m5.large"],
      says: /machines of type m5\.large cannot run virtual machines/,
      hint: /^Choose a type that can run virtual machines: .*m8i\.4xlarge/,
      call: /DescribeInstanceTypes/,
    },
    {
      title: "a name that belongs to another machine",
      before: () => {
        fill(fake.world(region), 1);
        const [one] = fake.world(region).instances;
        one?.tags.set("Name", "harvester").delete("furrow");
      },
      says: /the name harvester belongs to i-\w+, which furrow did not create/,
      hint: /^Choose another name/,
      call: /DescribeInstances /,
    },
  ];

  test.each(obstacles)("reports $title", async (obstacle) => {
    const env = { ...login, AWS_ENDPOINT_URL: fake.url, ...obstacle.env };
    const calls = (): string[] => fake.calls.map(({ action, params }) => `${action} ${JSON.stringify(params)}`);
    const vars = [...always, ...(obstacle.vars ?? [])];
    const met = await meet("EC2", ["playbooks/clouds/provision-aws.ts"], { ...obstacle, env, vars }, calls);
    expectMet(met, obstacle);
    const own = fake.world(region).instances.filter(({ tags }) => tags.has("furrow"));
    expect(own).toEqual([]);
  });
});

describe("provision-gcp", () => {
  let fake: GceFake;
  let login: Record<string, string>;
  beforeEach(async () => {
    fake = new GceFake();
    login = await fake.start();
    return () => fake.stop();
  });

  const insert = /^POST .*\/instances$/;
  const obstacles: readonly Obstacle[] = [
    {
      title: "missing credentials",
      env: { GOOGLE_APPLICATION_CREDENTIALS: "" },
      says: /Could not load the default credentials/,
      hint: /^Run gcloud auth application-default login/,
    },
    {
      title: "a missing credentials file",
      env: { GOOGLE_APPLICATION_CREDENTIALS: "/nonexistent/key.json" },
      says: /\/nonexistent\/key\.json/,
      hint: /^Correct GOOGLE_APPLICATION_CREDENTIALS/,
    },
    {
      title: "expired credentials",
      before: () => {
        fake.trusts = false;
      },
      says: /invalid_grant|The subject token has expired/,
      hint: /^Renew the credentials/,
    },
    {
      title: "a wrong project",
      vars: ["project=project-2"],
      says: /projects\/project-2/,
      hint: /^Correct the project/,
      call: /^GET projects\/project-2\/zones\/.*\/instances\/harvester$/,
    },
    {
      title: "a wrong zone",
      vars: ["zone=europe-west3-z"],
      says: /Unknown zone/,
      hint: /^Correct the zone/,
      call: /^GET .*zones\/europe-west3-z\/instances\/harvester$/,
    },
    {
      title: "a zone in a wrong region",
      vars: ["zone=europe-west9-a"],
      says: /Unknown zone/,
      hint: /^Correct the zone/,
      call: /^GET .*zones\/europe-west9-a\/instances\/harvester$/,
    },
    {
      title: "a missing permission",
      before: () => void fake.settings.denied.add("compute.instances.create"),
      says: /do not permit compute\.instances\.create \| no permission compute\.instances\.create in project-1/,
      hint: /^Ask an administrator of the project/,
      // The three calls are OS Login's query, the query for the machine, and the dry run.
      call: /^GET .*\/instances\/harvester$/,
      times: 3,
    },
    {
      title: "a policy against external addresses",
      before: () => {
        fake.settings.policies = { "compute.vmExternalIpAccess": [{ denyAll: true }] };
      },
      says: /policy forbids an external address for harvester/,
      hint: /^Set address: "none"/,
      call: /compute\.vmExternalIpAccess/,
    },
    {
      title: "an exhausted quota",
      before: () => {
        fake.settings.quota = 8;
      },
      says: /Quota 'CPUS' exceeded/,
      hint: /^Ask for a higher quota/,
      call: insert,
    },
    {
      title: "missing capacity",
      before: () => void fake.settings.full.add(zone),
      says: /ZONE_RESOURCE_POOL_EXHAUSTED/,
      hint: /^Choose another zone or machine type/,
      call: insert,
    },
    {
      title: "an unknown image",
      vars: ['image={"project":"debian-cloud","family":"debian-99"}'],
      says: /no image of the family debian-99/,
      hint: /^See the available images: gcloud compute images list/,
      call: /^GET .*debian-99/,
    },
    {
      title: "a type without nested virtualization",
      vars: ["type=e2-standard-16"],
      says: /e2-standard-16 .*cannot run virtual machines/,
      hint: /^Choose a type/,
      call: /^GET .*\/machineTypes\/e2-standard-16$/,
    },
    {
      title: "a name that belongs to another machine",
      before: () => {
        const fields = { name: "harvester", description: "database", status: "RUNNING" };
        fake.state.put(`projects/${project}/zones/${zone}/instances/harvester`, fields);
      },
      says: /description is "database"/,
      hint: /^Choose another name/,
      call: /^GET .*\/instances\/harvester$/,
      times: 3,
    },
  ];

  test.each(obstacles)("reports $title", async (obstacle) => {
    const env = { ...login, ...obstacle.env };
    const vars = [`project=${project}`, ...always, ...(obstacle.vars ?? [])];
    const met = await meet(
      "Compute Engine",
      ["playbooks/clouds/provision-gcp.ts"],
      { ...obstacle, env, vars },
      () => fake.calls,
    );
    expectMet(met, obstacle);
    const made = [...fake.state.things].filter(
      ([path, { description }]) => path.includes("/instances/") && description !== "database",
    );
    expect(made).toEqual([]);
  });
});
