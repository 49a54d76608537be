import { describe, expect, test } from "vitest";
import { answersOf, argoObjectOf, type Objects } from "../../test/guards/examples.ts";
import { explain } from "../../src/testing/index.ts";
import { faults } from "../../src/load/playbook/issues.ts";
import { appsSchema } from "./apps.ts";
import { appsFree } from "./apps-free.ts";
import { clustersKnown } from "./clusters-known.ts";
import {
  applicationObjects,
  applicationSetObjects,
  choicesOf,
  projectObjects,
  renderedSpec,
  specsOf,
} from "./objects.ts";

const source = { repo: "https://git.example.org/lab.git", path: "apps/monitoring", revision: "main" };
const policy = { project: "lab", source, namespace: "monitoring" };
const vars = {
  kubeconfig: "k",
  projects: { lab: { repos: [source.repo], destinations: [{ cluster: "harvester", namespace: "*" }] } },
  applications: { guestbook: { ...policy, cluster: "harvester", createNamespace: true, prune: true } },
  applicationSets: { monitoring: { ...policy, clusterLabels: { tier: "lab" } } },
};

test.each([
  ["a password in a URL", { source: { ...source, repo: "https://me:pass@git/x" } }, "a URL without a user"],
  ["a path and a chart", { source: { ...source, chart: "x" } }, "either path or chart"],
  ["neither path nor chart", { source: { repo: source.repo, revision: "main" } }, "either path or chart"],
  ["an ApplicationSet for every cluster", { clusterLabels: {} }, "at least one label"],
])("refuses %s", (_what, more, says) => {
  const applicationSets = { monitoring: { ...vars.applicationSets.monitoring, ...more } };
  const [issue] = appsSchema.safeParse({ ...vars, applicationSets }).error?.issues ?? [];
  expect(issue?.message).toContain(says);
});

test.each([
  ["a password", "https://me:pass@git/x"],
  ["a token", "https://ghp_SECRET@git/x"],
  ["a token in a refusal", "!https://ghp_SECRET@git/x"],
  ["a token as a parameter", "https://git/x?access_token=SECRET"],
])("refuses %s in a project's repository, which everyone who can read the project could read", (_what, repo) => {
  const projects = { lab: { ...vars.projects.lab, repos: ["*", repo] } };
  const { error } = appsSchema.safeParse({ ...vars, projects });
  expect(error?.issues).toMatchObject([
    { path: ["projects", "lab", "repos", 1], message: expect.stringContaining("a URL without a user") as string },
  ]);
  const [fault] = faults(appsSchema, error?.issues ?? [], { ...vars, projects });
  expect(fault?.current).not.toMatch(/pass|SECRET/);
});

test("accepts every repository of an organization, and the user of an SSH URL", () => {
  const repos = ["*", "https://git.example.org/lab/*", "git@github.com:lab/x", "ssh://git@host/x", "!https://git/x"];
  expect(appsSchema.safeParse({ ...vars, projects: { lab: { ...vars.projects.lab, repos } } }).success).toBe(true);
});

test("refuses a misspelled cluster that the project of the same file does not allow", () => {
  const applications = { guestbook: { ...vars.applications.guestbook, cluster: "harvestr" } };
  const [issue] = appsSchema.safeParse({ ...vars, applications }).error?.issues ?? [];
  expect(`${issue?.path.join(".")}: ${issue?.message}`).toBe(
    "applications.guestbook.cluster: a cluster in the destinations of the project lab: harvester",
  );
  const to = (cluster: string): object => ({
    lab: { ...vars.projects.lab, destinations: [{ cluster, namespace: "*" }] },
  });
  for (const destination of ["*", "harv*", "harvestr"])
    expect(appsSchema.safeParse({ ...vars, applications, projects: to(destination) }).success).toBe(true);
  expect(appsSchema.safeParse({ ...vars, applications, projects: {} }).success).toBe(true);
});

describe("an application for a cluster", () => {
  const ask = (cluster: string, clusters: object) =>
    explain(
      clustersKnown({ kubeconfig: "k", argoNamespace: "argocd", applications: [{ name: "guestbook", cluster }] }),
      { clusters },
    );

  test("that is not registered with Argo CD is refused, and the error names those that are", () => {
    const { refusal } = ask("harvestr", { names: ["edge", "harvester"] });
    expect(refusal?.message).toBe("these clusters are not registered with Argo CD: harvestr (application guestbook)");
    expect(refusal?.current).toBe("registered: in-cluster, edge, harvester");
    expect(refusal?.hint).toContain("gitops/register");
  });

  test("that is registered, or is Argo CD's own, is allowed", () => {
    for (const cluster of ["harvester", "in-cluster"])
      expect(ask(cluster, { names: ["harvester"] })).not.toHaveProperty("refusal");
  });

  test("is not refused if the user may not read Argo CD's Secrets, but a note says so", () => {
    const error = { where: "Argo CD's cluster", code: "HTTP 403", message: "HTTP 403: you may not" };
    const { refusal, notes } = ask("harvestr", { error });
    expect(refusal).toBeUndefined();
    expect(notes).toEqual([
      "cannot tell whether the applications' clusters are registered with Argo CD (HTTP 403: you may not)",
    ]);
  });
});

test("the vars become objects in Argo CD's format", () => {
  const apps = appsSchema.parse(vars);
  const wanted = {
    project: "lab",
    source: { repoURL: source.repo, path: source.path, targetRevision: "main" },
    destination: { namespace: "monitoring" },
    syncPolicy: { automated: { prune: false, selfHeal: false } },
  };
  expect(projectObjects(apps)).toMatchObject([
    {
      kind: "AppProject",
      metadata: { name: "lab", namespace: "argocd" },
      spec: { sourceRepos: [source.repo], destinations: [{ name: "harvester", namespace: "*" }] },
    },
  ]);
  expect(applicationObjects(apps)).toMatchObject([
    {
      spec: {
        destination: { name: "harvester", namespace: "monitoring" },
        syncPolicy: { automated: { prune: true }, syncOptions: ["CreateNamespace=true"] },
      },
    },
  ]);
  expect(applicationSetObjects(apps)).toMatchObject([
    {
      spec: {
        generators: [{ clusters: { selector: { matchLabels: { tier: "lab" } } } }],
        template: {
          metadata: { name: "monitoring-{{.nameNormalized}}" },
          spec: { ...wanted, destination: { name: "{{.name}}", namespace: "monitoring" } },
        },
      },
    },
  ]);
});

test("braces in an ApplicationSet's values stay as they are, although Argo CD executes its template", () => {
  const values = 'summary: "{{ $labels.instance }} down"';
  const apps = appsSchema.parse({
    ...vars,
    applicationSets: { monitoring: { ...vars.applicationSets.monitoring, source: { ...source, values } } },
  });
  const [set] = applicationSetObjects(apps);
  expect(set?.spec.template.spec.source.helm?.values).toBe('summary: "{{"{{"}} $labels.instance }} down"');
  expect(renderedSpec(apps.applicationSets["monitoring"] as never).source.helm?.values).toBe(values);
});

describe("objects that furrow did not create", () => {
  const ask = (cluster: Partial<Objects>, adopt = false, automated = true) =>
    explain(
      appsFree({
        kubeconfig: "k",
        argoNamespace: "argocd",
        fieldManager: "furrow-apps",
        adopt,
        projects: ["lab"],
        applications: specsOf(
          appsSchema.parse({ ...vars, applications: { guestbook: { ...vars.applications.guestbook, automated } } }),
        ),
        applicationSets: choicesOf(applicationSetObjects(appsSchema.parse(vars))),
        acceptLoss: [],
      }),
      answersOf(cluster),
    ).refusal?.message;
  const own = { managedFields: [{ manager: "furrow-apps" }] };

  test("are not changed, unless they were created by hand and are adopted", () => {
    expect(
      ask({ applications: [argoObjectOf("guestbook", { metadata: own }), argoObjectOf("other")] }),
    ).toBeUndefined();
    expect(ask({ projects: [argoObjectOf("lab")] })).toBe(
      "these objects are not changed: AppProject lab was not created by furrow",
    );
    expect(ask({ projects: [argoObjectOf("lab")] }, true)).toBeUndefined();
    expect(ask({ projects: [argoObjectOf("lab", { metadata: { namespace: "elsewhere" } })] })).toBeUndefined();
  });

  test.each([
    ["several sources", { sources: [{ repoURL: "https://git.example.org/a.git" }] }, "spec.sources"],
    ["parameters of Helm", { source: { helm: { parameters: [{ name: "a" }] } } }, "spec.source.helm.parameters"],
    ["a chart", { source: { chart: "guestbook" } }, "spec.source.chart"],
    ["a server", { destination: { server: "https://kubernetes.default.svc" } }, "spec.destination.server"],
    [
      "an automatic sync that is disabled",
      { syncPolicy: { automated: { enabled: false } } },
      "spec.syncPolicy.automated.enabled",
    ],
  ])("are not adopted if they have %s, which would make Argo CD ignore the playbook", (_what, spec, field) => {
    const says = `which the playbook does not set`;
    expect(ask({ applications: [argoObjectOf("guestbook", { spec })] }, true)).toBe(
      `these objects cannot be adopted: Application guestbook has ${field}, ${says}`,
    );
    expect(ask({ applicationSets: [argoObjectOf("monitoring", { spec: { template: { spec } } })] }, true)).toBe(
      `these objects cannot be adopted: ApplicationSet monitoring has ${field}, ${says}`,
    );
  });

  test("are not adopted if they sync automatically and the playbook says they should not", () => {
    const applications = [argoObjectOf("guestbook", { spec: { syncPolicy: { automated: {} } } })];
    expect(ask({ applications }, true, false)).toContain("Application guestbook has spec.syncPolicy.automated,");
    expect(ask({ applications }, true)).toBeUndefined();
  });

  test("are adopted with fields that do not change what is deployed", () => {
    const spec = { source: { repoURL: "https://old", path: "old" }, revisionHistoryLimit: 3, sources: [] };
    expect(ask({ applications: [argoObjectOf("guestbook", { spec })] }, true)).toBeUndefined();
  });

  test("are never changed if another object owns them", () => {
    const metadata = { ...own, ownerReferences: [{ kind: "ApplicationSet", name: "all" }] };
    expect(ask({ applications: [argoObjectOf("guestbook", { metadata })] }, true)).toContain(
      "Application guestbook belongs to ApplicationSet all",
    );
  });
});

describe("an ApplicationSet whose selection or names would change", () => {
  const sets = applicationSetObjects(appsSchema.parse(vars));
  const [wanted] = sets;
  const owner = { ownerReferences: [{ kind: "ApplicationSet", name: "monitoring" }] };
  const ask = (spec: object, acceptLoss: string[] = [], adopt = false) =>
    explain(
      appsFree({
        kubeconfig: "k",
        argoNamespace: "argocd",
        fieldManager: "furrow-apps",
        adopt,
        projects: [],
        applications: [],
        applicationSets: choicesOf(sets),
        acceptLoss,
      }),
      answersOf({
        applicationSets: [
          argoObjectOf("monitoring", {
            metadata: adopt ? {} : { managedFields: [{ manager: "furrow-apps" }] },
            spec: { ...wanted?.spec, ...spec },
          }),
        ],
        applications: [argoObjectOf("monitoring-harvester", { metadata: owner }), argoObjectOf("other")],
      }),
    ).refusal?.message;
  const deletes =
    "ApplicationSet monitoring would select different clusters, or name its Applications differently; Argo CD may then delete " +
    "monitoring-harvester with everything that was deployed";
  const generators = [{ clusters: { selector: { matchLabels: { tier: "labs" } } } }];

  test("never deletes applications that the user has not listed, if clusterLabels change", () => {
    expect(ask({})).toBeUndefined();
    expect(ask({ syncPolicy: undefined })).toBeUndefined();
    expect(ask({ generators })).toBe(deletes);
    expect(ask({ generators }, ["other"])).toBe(deletes);
    expect(ask({ generators }, ["monitoring-harvester"])).toBeUndefined();
  });

  test("never deletes applications that the user has not listed, if the set was created by hand and is adopted", () => {
    expect(ask({ generators: [{ list: { elements: [{ name: "harvester" }] } }] }, [], true)).toBe(deletes);
    expect(ask({ template: { metadata: { name: "{{.name}}-monitoring" } } }, [], true)).toBe(deletes);
    expect(ask({ goTemplate: false }, [], true)).toBe(deletes);
    expect(ask({}, [], true)).toBeUndefined();
  });

  test("has a policy that keeps Argo CD from deleting Applications and what they have deployed", () => {
    expect(wanted?.spec).toMatchObject({
      syncPolicy: { applicationsSync: "create-update", preserveResourcesOnDeletion: true },
    });
  });
});
