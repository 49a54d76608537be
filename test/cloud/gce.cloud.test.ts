import { describe, expect, test, vi } from "vitest";
import { type Playbook, playbook } from "../../src/authoring.ts";
import { gceInstance } from "../../tasks/gce-instance/gce-instance.ts";
import { gceNetwork } from "../../tasks/gce-network/gce-network.ts";
import { covered } from "../covered.ts";
import { destroy, provision } from "./gce-books.ts";
import { type GceFake, project, zone } from "./gce-fake/fake.ts";
import { eachWithGceFake } from "./gce-fake/here.ts";
import { type RunHere, runHere } from "./run-here.ts";

let fake: GceFake;
eachWithGceFake((made) => {
  fake = made;
});

const ends = ({ tasks }: RunHere): (string | undefined)[][] =>
  tasks.map(({ title, outcome, error }) =>
    [title, outcome, error?.failure.what, error?.failure.current].filter(Boolean),
  );
const outcomes = ({ tasks }: RunHere): unknown[] => tasks.map(({ outcome }) => outcome);

/** Other work may slow the machine down. The limits are meant for an idle machine. */
const slowness = 4;

const one = {
  networks: ["lab"],
  firewalls: ["lab-ssh"],
  addresses: ["lab"],
  disks: ["lab-data", "lab"],
  instances: ["lab"],
};
const changed = ["changed", "changed", "changed", "changed", "changed"];
const ok = ["ok", "ok", "ok", "ok", "ok"];

describe("a machine on Compute Engine", () => {
  test("is created, needs no change in a second run, and is removed", async () => {
    const first = await runHere(provision);
    expect(ends(first)).toEqual([
      ["gceNetwork lab", "changed"],
      ["gceFirewall lab-ssh", "changed"],
      ["gceAddress lab", "changed"],
      ["gceDisk lab-data", "changed"],
      ["gceInstance lab", "changed"],
    ]);
    expect(fake.things()).toEqual(one);
    const calls = fake.calls.length;
    const second = await runHere(provision);
    expect(outcomes(second)).toEqual(ok);
    expect(fake.changes.filter((_call, at) => at >= 5)).toEqual([]);
    expect(ends(await runHere(destroy))).toEqual([
      ["gceInstance lab", "changed"],
      ["gceDisk lab-data", "changed"],
      ["gceAddress lab", "changed"],
      ["gceFirewall lab-ssh", "changed"],
      ["gceNetwork lab", "changed"],
    ]);
    expect(fake.things()).toEqual({});
    // The API remembers the request ids of removed resources, so a machine that is created again needs new ids.
    expect(outcomes(await runHere(provision))).toEqual(changed);
    expect(fake.things()).toEqual(one);
    covered(`Compute Engine: a provisioning run makes ${calls} calls`);
  });
});

describe("a provisioning run that is killed after any call", () => {
  test("leaves exactly one of each resource after the next run", async () => {
    let at = 0;
    for (let through = false; !through;) {
      at += 1;
      fake.wipe();
      const kill = new AbortController();
      fake.cut = (call) => {
        if (call !== at) return false;
        kill.abort(new Error("killed"));
        return true;
      };
      const first = await runHere(provision, { kill: kill.signal });
      through = fake.calls.length < at;
      expect(first.result.interrupted, `after call ${at}`).toBe(!through);
      fake.heal();
      const second = await runHere(provision);
      expect(
        ends(second).filter((end) => end[1] === "failed"),
        `after call ${at}`,
      ).toEqual([]);
      expect(fake.things(), `after call ${at}`).toEqual(one);
      const launches = fake.state.operations.filter(
        ({ operationType, targetLink }) => operationType === "insert" && targetLink.endsWith("/instances/lab"),
      );
      expect(launches.length, `launches, after call ${at}`).toBe(1);
    }
    covered(`Compute Engine: a provisioning run, killed after each of its ${at - 1} calls and then rerun`);
  });
});

describe("check mode", () => {
  test.each([
    { title: "a provisioning run", book: provision, before: undefined },
    { title: "a provisioning run on converged resources", book: provision, before: provision },
    { title: "a removal", book: destroy, before: provision },
  ])("predicts $title without changing anything", async ({ book, before }) => {
    if (before) await runHere(before);
    const made = fake.changes.length;
    const checked = await runHere(book, { mode: "check" });
    expect(fake.changes.length).toBe(made);
    const applied = await runHere(book);
    expect(ends(checked)).toEqual(ends(applied));
    expect(applied.result.failed).toEqual([]);
  });
});

describe("an immediate message about an obstacle, with the next step", () => {
  const instance = (params: object) =>
    playbook({
      name: "one",
      plays: [
        {
          hosts: "all",
          tasks: () => [
            gceInstance({
              name: "lab",
              project,
              zone,
              machineType: "n2-standard-16",
              image: { project: "suse-cloud", family: "sles-15" },
              network: "lab",
              ...params,
            }),
          ],
        },
      ],
    });
  const fails = async (book: Playbook, within = 5000): Promise<string> => {
    const began = performance.now();
    const { tasks } = await runHere(book);
    expect(performance.now() - began).toBeLessThan(within * slowness);
    const failure = tasks.find(({ outcome }) => outcome === "failed")?.error?.failure;
    return [failure?.what, failure?.current, failure?.expected, failure?.hint].filter(Boolean).join(" | ");
  };
  const network = (): void => {
    fake.state.put(`projects/${project}/global/networks/lab`, { name: "lab", autoCreateSubnetworks: true });
  };
  const plan = (status: number, reason: string, message: string, on = /instances/): void =>
    void fake.planned.push({ on, status, reason, message, times: 1 });

  test("reports missing credentials", async () => {
    vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", "");
    vi.stubEnv("HOME", "/nonexistent");
    expect(await fails(instance({}))).toMatch(/default credentials.*\| Run gcloud auth application-default login/);
  });

  test("reports a missing credentials file", async () => {
    vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", "/nonexistent/key.json");
    expect(await fails(instance({}))).toMatch(/\/nonexistent\/key\.json.*\| Correct GOOGLE_APPLICATION_CREDENTIALS/);
  });

  test("reports expired credentials", async () => {
    fake.trusts = false;
    expect(await fails(instance({}))).toMatch(/\| Renew the credentials/);
  });

  test("reports a token that has been revoked", async () => {
    plan(401, "authError", "Request had invalid authentication credentials.");
    expect(await fails(instance({}))).toMatch(/\| Renew the credentials/);
  });

  test("reports a missing permission", async () => {
    plan(
      403,
      "forbidden",
      "Required 'compute.instances.get' permission for 'projects/project-1/zones/z/instances/lab'",
    );
    expect(await fails(instance({}))).toMatch(
      /compute\.instances\.get.*\| Give the account .* the role roles\/compute/,
    );
  });

  test("reports a disabled API", async () => {
    plan(403, "SERVICE_DISABLED", "Compute Engine API has not been used in project 1 before or it is disabled.");
    expect(await fails(instance({}))).toMatch(/\| Enable the API: gcloud services enable compute/);
  });

  test("reports a wrong zone", async () => {
    expect(await fails(instance({ zone: "europe-west9-a" }))).toMatch(/Unknown zone\. \| Correct the zone/);
  });

  test("reports a wrong project", async () => {
    expect(await fails(instance({ project: "project-2" }))).toMatch(/projects\/project-2.*\| Correct the project/);
  });

  test("reports an exceeded quota", async () => {
    network();
    fake.settings.quota = 8;
    expect(await fails(instance({}))).toMatch(/Quota 'CPUS' exceeded.*\| Ask for a higher quota/);
  });

  test("reports missing capacity for the machine type; the next run succeeds once there is capacity", async () => {
    network();
    fake.settings.full.add(zone);
    expect(await fails(instance({}))).toMatch(/ZONE_RESOURCE_POOL_EXHAUSTED: .*\| Choose another zone or machine type/);
    fake.settings.full.clear();
    expect(outcomes(await runHere(instance({})))).toEqual(["changed"]);
  });

  test("reports an unknown image", async () => {
    network();
    const said = await fails(instance({ image: { project: "suse-cloud", family: "sles-16" } }));
    expect(said).toMatch(/no image of the family sles-16.*\| See the available images: gcloud compute images list/);
  });

  test("reports a type without nested virtualization, and lists the types that have it", async () => {
    network();
    const said = await fails(instance({ machineType: "e2-standard-16", nested: true }));
    expect(said).toMatch(
      /cannot run virtual machines.*\| one of n2-standard-16 \(64 GB\), n4-standard-16 \(64 GB\) \| Choose a type/,
    );
  });

  test("reports a name that belongs to another machine", async () => {
    const fields = { name: "lab", description: "database", status: "RUNNING" };
    fake.state.put(`projects/${project}/zones/${zone}/instances/lab`, fields);
    expect(await fails(instance({}))).toMatch(/description is "database".*\| Choose another name/);
  });

  test("reports a resource that is in use", async () => {
    await runHere(provision);
    const book = playbook({
      name: "one",
      plays: [{ hosts: "all", tasks: () => [gceNetwork({ name: "lab", project, state: "absent" })] }],
    });
    expect(await fails(book)).toMatch(/already being used by 'projects.*\| First remove what uses the resource/);
  });

  test("does not appear for throttling and server errors, after which furrow retries", async () => {
    fake.planned.push({ on: /./, status: 429, reason: "rateLimitExceeded", message: "Rate Limit Exceeded", times: 2 });
    fake.planned.push({ on: /POST/, status: 503, reason: "backendError", message: "Backend Error", times: 2 });
    expect(outcomes(await runHere(provision))).toEqual(changed);
    expect(fake.things()).toEqual(one);
  });
});
