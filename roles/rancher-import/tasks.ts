import { kubernetesCall, refuse, task, text, z } from "../../src/authoring.ts";
import { askObject, decideOnObject, settingPath } from "../cluster-answers/one-object.ts";
import { rancherCall, rancherCluster } from "../../src/facts/catalogue.ts";

const rancher = z.strictObject({
  url: z.url().describe("URL of Rancher"),
  token: text().describe("API token; may be secret"),
  name: z.string().describe("Name of the cluster in Rancher"),
  caCert: z.string().optional().describe("Certificates to trust, in PEM format"),
  insecure: z.boolean().optional().describe("Accept any certificate"),
});

/** Creates a Harvester cluster's object in Rancher, and outputs the URL with which the cluster registers itself. */
export const importedCluster = task({
  name: "importedCluster",
  summary: "Create a Harvester cluster's object in Rancher",
  params: rancher,
  examples: [],
  title: ({ name, url }) => `${name} in Rancher at ${url}`,
})
  .facts(({ url, token, name, caCert, insecure }) => ({
    cluster: rancherCluster({
      url,
      token,
      name,
      ...(caCert !== undefined && { caCert }),
      ...(insecure !== undefined && { insecure }),
    }),
  }))
  .want((p, { cluster }) => {
    if ("found" in cluster) return { cluster: { found: true } };
    return refuse({
      code: "no-rancher",
      message: `Rancher at ${p.url} does not answer as expected: ${cluster.error.message}`,
      hint: "Check the URL and the token",
    });
  })
  .steps(({ url, token, name, caCert, insecure }, { change }) => [
    change.cluster &&
      rancherCall({
        url,
        token,
        name,
        ...(caCert !== undefined && { caCert }),
        ...(insecure !== undefined && { insecure }),
      }),
  ])
  .outputs((_p, { cluster }) => ("found" in cluster && cluster.found ? (cluster.registration ?? "") : ""));

/** Sets a Harvester setting to a given value, through the cluster's Kubernetes API. */
export const harvesterSetting = task({
  name: "harvesterSetting",
  summary: "Set a Harvester setting to a value",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    name: z.string().describe("Name of the setting"),
    value: z.string().describe("Value of the setting, as text"),
  }),
  examples: [],
  title: ({ name }) => `Harvester's setting ${name}`,
})
  .facts((p) => ({ setting: askObject(p.kubeconfig, settingPath(p.name)) }))
  .want((p, { setting }) =>
    decideOnObject(setting, { kind: "Setting", name: p.name }, `which value ${p.name} has`, (object) =>
      object !== undefined
        ? { setting: { found: true as const, object: { value: p.value } } }
        : refuse({
            code: "no-setting",
            message: `Harvester has no setting ${p.name}`,
            hint: "Check which version the cluster has",
          }),
    ),
  )
  .steps((p, { change }) => [
    change.setting && kubernetesCall(p.kubeconfig, "PATCH", settingPath(p.name), `set ${p.name}`, { value: p.value }),
  ]);
