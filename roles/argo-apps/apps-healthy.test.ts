import { describe, expect, test } from "vitest";
import { answersOf, argoObjectOf, type Objects } from "../../test/guards/examples.ts";
import { explain } from "../../src/testing/index.ts";
import { appsSchema } from "./apps.ts";
import { appsHealthy } from "./apps-healthy.ts";
import { renderedSpec, sourceObject } from "./objects.ts";

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
  const ask = (cluster: Partial<Objects>, applications = ["guestbook"], sets: string[] = []) =>
    explain(
      appsHealthy({
        kubeconfig: "k",
        argoNamespace: "argocd",
        applications,
        sets: sets.map((name) => ({ name, labels: "tier=lab", spec: setSpec })),
      }),
      answersOf(cluster),
    );
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

  describe("of an ApplicationSet", () => {
    const upToDate = { conditions: [{ type: "ResourcesUpToDate", status: "True" }] };
    const set = (status: object = upToDate) => argoObjectOf("monitoring", { status });
    const owner = { ownerReferences: [{ kind: "ApplicationSet", name: "monitoring" }] };
    const made = (revision = "main", more: object = {}) => {
      const own = { ...wanted, targetRevision: revision };
      // Argo CD leaves out what is false.
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
