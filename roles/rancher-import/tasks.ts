import {
  knownAfterApply,
  type KubernetesAnswer,
  kubernetesCall,
  refuse,
  type Refusal,
  task,
  text,
  z,
} from "../../src/authoring.ts";
import { rancherCall, rancherCluster, sealedFieldValue, type RancherAnswer } from "../../src/facts/catalogue.ts";
import { askObject, decideOnObject, lookAtObject, settingPath } from "../cluster-answers/one-object.ts";
import { registrationSetting, registrationValues } from "./registration.ts";

const settingObject = { kind: "Setting", name: registrationSetting };

const kubeconfig = z.string().describe("The cluster's kubeconfig on the controller");
const replaces = z.boolean().default(false).describe("Replace the cluster's existing registration in another Rancher");

const rancher = z.strictObject({
  url: z.url().describe("URL of Rancher"),
  token: text().describe("API token; may be secret"),
  name: z.string().describe("Name of the cluster in Rancher"),
  caCert: z.string().optional().describe("Certificates to trust, in PEM format"),
  insecure: z.boolean().optional().describe("Accept any certificate"),
  id: z.string().optional().describe("Rancher's id for the cluster with this name; confirms that it is this cluster"),
  kubeconfig,
  replaces,
});

type Rancher = z.output<typeof rancher>;
type FoundCluster = Extract<RancherAnswer, { readonly found: true }>;

/** Creates a Harvester cluster's object in Rancher, and outputs the URL with which the cluster registers itself. */
export const importedCluster = task({
  name: "importedCluster",
  summary: "Create a Harvester cluster's object in Rancher",
  params: rancher,
  examples: [],
  title: ({ name, url }) => `${name} in Rancher at ${url}`,
})
  .facts((p) => ({
    cluster: rancherCluster(questionOf(p)),
    setting: askObject(p.kubeconfig, settingPath(registrationSetting), ["value"]),
  }))
  .want((p, { cluster, setting }) => {
    if ("error" in cluster)
      return refuse({
        code: "no-rancher",
        message: `Rancher at ${p.url} does not answer as expected: ${cluster.error.message}`,
        hint: "Check the URL and the token, and that Rancher has at most one cluster with this name",
      });
    if (ownRegistration(cluster, valueIn(setting)) !== undefined) return {};
    const taken = cluster.found ? takenBy(p, cluster, setting) : undefined;
    const problem = taken ?? registeredElsewhere(p, valueIn(setting));
    if (problem !== undefined) return problem;
    return cluster.found && cluster.isReady
      ? {}
      : { cluster: { found: true as const, isReady: true, registrations: knownAfterApply } };
  })
  .steps((p, { change, now: { cluster } }) => [
    change.cluster && rancherCall(questionOf(p), "found" in cluster && cluster.found ? cluster.id : undefined),
  ])
  .outputs((_p, { cluster, setting }) => {
    const registrations = "found" in cluster && cluster.found ? cluster.registrations : unknown;
    if ((registrations as unknown) === knownAfterApply) return unknown;
    return ownRegistration(cluster, valueIn(setting)) ?? registrations[0] ?? unknown;
  });

const unknown = knownAfterApply as unknown as string;

function questionOf({ url, token, name, caCert, insecure }: Rancher) {
  return {
    url,
    token,
    name,
    ...(caCert !== undefined && { caCert }),
    ...(insecure !== undefined && { insecure }),
  };
}

/** The keyed hash of the setting's value, empty if it has none; undefined if the setting cannot be read. */
function valueIn(setting: KubernetesAnswer): string | undefined {
  const look = lookAtObject(setting, settingObject);
  if ("unseen" in look || look.seen === undefined) return undefined;
  const value = look.seen["value"];
  return typeof value === "string" ? value : "";
}

/** The cluster's registration URL that Harvester already has, if it has one. */
function ownRegistration(cluster: RancherAnswer, current: string | undefined): string | undefined {
  if (!("found" in cluster) || !cluster.found) return undefined;
  return cluster.registrations.find((url) => isOneOf(current, registrationValues(url)));
}

function isOneOf(current: string | undefined, values: readonly string[]): boolean {
  return values.some((value) => current === sealedFieldValue(value));
}

/** Refuses a cluster in Rancher that may be a different cluster with the same name. */
function takenBy(p: Rancher, { id, state, isHarvester }: FoundCluster, setting: KubernetesAnswer): Refusal | undefined {
  if (p.id === id || (isHarvester && state === "pending")) return undefined;
  const question = `whether the cluster ${p.name} (${id}) in Rancher at ${p.url} is this cluster`;
  return decideOnObject(setting, settingObject, question, () =>
    refuse({
      code: "cluster-taken",
      message: `Rancher at ${p.url} already has a cluster ${p.name} (${id}), and nothing shows that it is this cluster`,
      current: isHarvester ? `a Harvester cluster in state ${state || "unknown"}` : "a cluster of another kind",
      expected: "no such cluster, one that waits for its registration, or the one whose registration URL Harvester has",
      hint: `Set rancher.name to another name; if the cluster in Rancher is this cluster, set rancher.id to ${id}`,
    }),
  );
}

/** Refuses to replace a registration URL that may belong to another Rancher. */
function registeredElsewhere(p: Pick<Rancher, "replaces">, current: string | undefined): Refusal | undefined {
  if (p.replaces || current === undefined || current === "") return undefined;
  return refuse({
    code: "registered-elsewhere",
    message: `Harvester's setting ${registrationSetting} has another registration URL: the cluster may be registered with another Rancher`,
    hint: "Compare the setting with the clusters in Rancher; to replace the registration, set rancher.replaces to true",
  });
}

/** Sets the URL through which Harvester registers itself in Rancher. No output shows the setting's value. */
export const registrationSet = task({
  name: "registrationSet",
  summary: "Set the URL through which Harvester registers itself in Rancher",
  params: z.strictObject({
    kubeconfig,
    registration: z.string().describe("The registration URL"),
    value: z.string().describe("Value of the setting that contains the URL"),
    replaces,
  }),
  examples: [],
  title: () => `Harvester's setting ${registrationSetting}`,
})
  .facts((p) => ({ setting: askObject(p.kubeconfig, settingPath(registrationSetting), ["value"]) }))
  .want((p, { setting }) => {
    const { name } = settingObject;
    return decideOnObject(setting, settingObject, `which value ${name} has`, (object) => {
      if (object === undefined)
        return refuse({
          code: "no-setting",
          message: `Harvester has no setting ${name}`,
          hint: "Check which version of Harvester the cluster runs",
        });
      const isOwn = isOneOf(valueIn(setting), registrationValues(p.registration));
      const problem = isOwn ? undefined : registeredElsewhere(p, valueIn(setting));
      return problem ?? { setting: { found: true as const, object: { value: sealedFieldValue(p.value) } } };
    });
  })
  .steps((p, { change, now: { setting } }) => [
    change.setting &&
      kubernetesCall(p.kubeconfig, "PATCH", settingPath(registrationSetting), `set ${registrationSetting}`, {
        value: p.value,
        // If anyone changes the setting in the meantime, the API refuses this change.
        ...basisOf(setting),
      }),
  ]);

function basisOf(setting: KubernetesAnswer) {
  const object = "found" in setting && setting.found ? setting.object : undefined;
  const { data } = z.looseObject({ metadata: z.looseObject({ resourceVersion: z.string() }) }).safeParse(object);
  return data === undefined ? {} : { metadata: { resourceVersion: data.metadata.resourceVersion } };
}
