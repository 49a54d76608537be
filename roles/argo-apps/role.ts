import { role } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { onlyAfter } from "../cluster-guards/only-after.ts";
import { appsSchema } from "./apps.ts";
import { appsFree } from "./apps-free.ts";
import { appsHealthy } from "./apps-healthy.ts";
import { clustersKnown } from "./clusters-known.ts";
import {
  applicationObjects,
  applicationSetObjects,
  choicesOf,
  projectObjects,
  renderedSpec,
  specsOf,
} from "./objects.ts";

/** Manages projects and applications in Argo CD, and waits until all applications are synced and healthy. */
export const argoApps = role(
  {
    name: "argo apps",
    summary: "Manage projects and applications in Argo CD",
    params: appsSchema,
  },
  (params) => {
    const { kubeconfig, argoNamespace, fieldManager, adopt, deadlineSeconds } = params;
    const { projects, applications, applicationSets, acceptLoss } = params;
    const sets = applicationSetObjects(params);
    const objects = [...projectObjects(params), ...sets, ...applicationObjects(params)];
    if (objects.length === 0) return [];
    const free = appsFree({
      kubeconfig,
      argoNamespace,
      fieldManager,
      adopt,
      projects: Object.keys(projects),
      applications: specsOf(params),
      applicationSets: choicesOf(sets),
      acceptLoss,
    });
    const known =
      Object.keys(applications).length > 0 &&
      clustersKnown(
        {
          kubeconfig,
          argoNamespace,
          applications: Object.entries(applications).map(([name, { cluster }]) => ({ name, cluster })),
        },
        onlyAfter(free),
      );
    const guarded = onlyAfter(known === false ? free : known);
    return [
      free,
      known,
      objects.map((object) => t.kubeObject({ kubeconfig, fieldManager, force: adopt, object }, guarded)),
      Object.keys({ ...applications, ...applicationSets }).length > 0 &&
        appsHealthy({
          kubeconfig,
          argoNamespace,
          applications: specsOf(params),
          sets: Object.entries(applicationSets).map(([name, { clusterLabels, ...policy }]) => ({
            name,
            labels: Object.entries(clusterLabels)
              .map(([label, value]) => `${label}=${value}`)
              .join(", "),
            spec: renderedSpec(policy),
          })),
          deadlineSeconds,
        }),
    ];
  },
);
