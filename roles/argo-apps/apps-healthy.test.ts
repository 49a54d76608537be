import { describe, expect, test } from "vitest";
import { answersOf, argoObjectOf, type Objects } from "../../test/guards/examples.ts";
import { explain } from "../../src/testing/index.ts";
import { appsSchema } from "./apps.ts";
import { appsHealthy } from "./apps-healthy.ts";
import { renderedSpec, sourceObject, specsOf } from "./objects.ts";

const source = { repo: "https://git.example.org/lab.git", path: "apps/monitoring", revision: "main" };
const policy = { project: "lab", source, namespace: "monitoring" };
const vars = {
  kubeconfig: "k",
  projects: { lab: { repos: [source.repo], destinations: [{ cluster: "harvester", namespace: "*" }] } },
  applications: { guestbook: { ...policy, cluster: "harvester", createNamespace: true, prune: true } },
  applicationSets: { monitoring: { ...policy, clusterLabels: { tier: "lab" } } },
};

describe("the wait for applications", () => {
  const wanted = sourceObject(source);
  const setSpec = renderedSpec(appsSchema.parse(vars).applicationSets["monitoring"] as never);
  const [guestbookSpec] = specsOf(appsSchema.parse(vars));
  // By default, the playbook's spec is the one in the cluster.
  const ask = (
    cluster: Partial<Objects>,
    applications: { name: string; spec: never }[] = [{ name: "guestbook", spec: specIn(cluster) as never }],
    sets: string[] = [],
  ) =>
    explain(
      appsHealthy({
        kubeconfig: "k",
        argoNamespace: "argocd",
        applications,
        sets: sets.map((name) => ({ name, labels: "tier=lab", spec: setSpec })),
      }),
      answersOf(cluster),
    );
  const specIn = ({ applications = [] }: Partial<Objects>): object =>
    (applications[0] as { spec: object } | undefined)?.spec ?? {};
  const good = { sync: { status: "Synced", comparedTo: { source: wanted } }, health: { status: "Healthy" } };
  const guestbook = (status: object = good, spec: object = { source: wanted }) =>
    argoObjectOf("guestbook", { spec, status });

  test("ends when the applications are synced and healthy, and names them", () => {
    const { refusal, notes } = ask({ applications: [guestbook(), argoObjectOf("other")] });
    expect([refusal, notes]).toEqual([undefined, ["applications: guestbook"]]);
  });

  test.each([
    ["it is not there", [], "Application guestbook does not exist"],
    [
      "Argo CD has not seen the application",
      [guestbook({})],
      "Argo CD has not processed the current version of Application guestbook",
    ],
    [
      "Argo CD's report is about an older definition",
      [guestbook(good, { source: { ...wanted, targetRevision: "v2" } })],
      "Argo CD has not processed the current version of Application guestbook",
    ],
    [
      "Argo CD's report is about another cluster",
      [guestbook(good, { source: wanted, destination: { name: "b", namespace: "x" } })],
      "Argo CD has not processed the current version of Application guestbook",
    ],
    [
      "the manifests cannot be read",
      [
        guestbook({
          sync: { status: "Unknown", comparedTo: { source: wanted } },
          conditions: [{ type: "ComparisonError", message: "repository not found" }],
        }),
      ],
      "Application guestbook is Unknown, its health is unknown (ComparisonError: repository not found)",
    ],
    [
      "a sync has failed",
      [
        guestbook({
          ...good,
          sync: { ...good.sync, status: "OutOfSync" },
          operationState: { phase: "Failed", message: "no CRD" },
        }),
      ],
      "is OutOfSync, Healthy (the last sync ended with Failed: no CRD)",
    ],
    [
      "an object is not healthy",
      [
        guestbook({
          ...good,
          health: { status: "Degraded" },
          resources: [
            { kind: "Pod", namespace: "x", name: "a", health: { status: "Degraded", message: "ImagePullBackOff" } },
            { kind: "Service", namespace: "x", name: "b", health: { status: "Healthy" } },
          ],
        }),
      ],
      "is Synced, Degraded (Pod x/a is Degraded: ImagePullBackOff)",
    ],
  ])("goes on if %s", (_what, applications, says) => {
    expect(ask({ applications }).refusal?.message).toContain(says);
  });

  const wantedSpec = guestbookSpec?.spec;
  const compared = { source: wanted, destination: wantedSpec?.destination };
  const synced = { ...good, sync: { status: "Synced", revision: "b1", comparedTo: compared } };
  const ends = (spec: object, more: object = {}, operation?: object) =>
    ask(
      {
        applications: [
          argoObjectOf("guestbook", { spec, status: { ...synced, ...more }, ...(operation && { operation }) }),
        ],
      },
      [guestbookSpec as never],
    ).refusal?.message;

  test.each([
    ["sources", { sources: [{ repoURL: "https://git.example.org/old.git" }] }, "spec.sources"],
    [
      "parameters of Helm",
      { source: { ...wanted, helm: { parameters: [{ name: "a" }] } } },
      "spec.source.helm.parameters",
    ],
    ["a server", { destination: { ...wantedSpec?.destination, server: "https://x" } }, "spec.destination.server"],
  ])("fails if the application has %s of its own, although it is synced and healthy", (_what, own, field) => {
    expect(ends({ ...wantedSpec, ...own })).toContain(
      `Application guestbook has ${field}, which the playbook does not set, so Argo CD does not deploy what the playbook says`,
    );
  });

  test("fails if the application's cluster is not the playbook's", () => {
    expect(ends({ ...wantedSpec, destination: { ...wantedSpec?.destination, name: "old" } })).toContain(
      "Application guestbook has a different spec",
    );
  });

  test("keeps waiting while a sync runs or is requested, and fails if the sync of the current revision failed", () => {
    const spec = { ...wantedSpec };
    const last = (phase: string, revision?: string) =>
      ends(spec, { operationState: { phase, message: "hook failed", ...(revision && { syncResult: { revision } }) } });
    expect(ends(spec)).toBeUndefined();
    expect(last("Succeeded", "b1")).toBeUndefined();
    expect(last("Running")).toBe("the sync of Application guestbook has not ended");
    expect(last("Terminating")).toBe("the sync of Application guestbook has not ended");
    expect(ends(spec, {}, { sync: {} })).toBe("the sync of Application guestbook has not ended");
    for (const failed of [last("Failed", "b1"), last("Error")])
      expect(failed).toMatch(
        /^Application guestbook is Synced, Healthy \(the last sync ended with \w+: hook failed\)$/,
      );
    expect(last("Failed", "a0")).toBeUndefined();
  });

  describe("of an ApplicationSet", () => {
    const upToDate = { conditions: [{ type: "ResourcesUpToDate", status: "True" }] };
    const set = (status: object = upToDate) => argoObjectOf("monitoring", { status });
    const owner = { ownerReferences: [{ kind: "ApplicationSet", name: "monitoring" }] };
    const made = (revision = "main", more: object = {}) => {
      const own = { ...wanted, targetRevision: revision };
      // Argo CD leaves out fields that are false.
      const spec = {
        ...setSpec,
        syncPolicy: { automated: {} },
        source: own,
        destination: { name: "harvester", namespace: "monitoring" },
        ...more,
      };
      const status = {
        ...good,
        sync: { status: "Synced", comparedTo: { source: own, destination: spec.destination } },
      };
      return argoObjectOf("monitoring-harvester", { metadata: owner, spec, status });
    };
    const says = (cluster: Partial<Objects>) => ask(cluster, [], ["monitoring"]).refusal?.message;

    test("ends when each of the set's Applications is synced and healthy", () => {
      const { refusal, notes } = ask({ applicationSets: [set()], applications: [made()] }, [], ["monitoring"]);
      expect([refusal, notes]).toEqual([undefined, ["applications: monitoring-harvester"]]);
    });

    test("goes on while the set or one of its Applications is not ready, and says why", () => {
      expect(says({})).toBe("ApplicationSet monitoring does not exist");
      expect(says({ applicationSets: [set({})] })).toBe(
        "ApplicationSet monitoring has not created its Applications yet",
      );
      expect(says({ applicationSets: [set()] })).toBe(
        "ApplicationSet monitoring selects no cluster: no cluster in Argo CD has tier=lab",
      );
      expect(says({ applicationSets: [set()], applications: [made("v1")] })).toBe(
        "ApplicationSet monitoring has not updated Application monitoring-harvester yet",
      );
      for (const more of [
        { project: "old" },
        { destination: { name: "harvester", namespace: "old" } },
        { syncPolicy: {} },
      ])
        expect(says({ applicationSets: [set()], applications: [made("main", more)] })).toBe(
          "ApplicationSet monitoring has not updated Application monitoring-harvester yet",
        );
      const conditions = [{ type: "ErrorOccurred", status: "True", message: "map has no entry for key nam" }];
      expect(says({ applicationSets: [set({ conditions })] })).toBe(
        "ApplicationSet monitoring: map has no entry for key nam",
      );
    });
  });
});
