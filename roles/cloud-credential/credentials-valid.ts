import { refuse, task, text, z } from "../../src/authoring.ts";
import { cloudCredentials, cloudCredentialsRenewal, missingKubeconfigHint } from "../../src/facts/catalogue.ts";

const params = z.strictObject({
  kubeconfig: z.string().describe("Kubeconfig of the cluster in which Rancher runs"),
  url: z.string().describe("URL of Rancher"),
  token: text().describe("API token of Rancher; may be secret"),
  caCert: z.string().optional().describe("Certificates to trust for Rancher, in PEM format"),
  names: z.array(z.string()).optional().describe("Names of the Secrets; default: all credentials for Harvester"),
  renewBeforeSeconds: z.int().describe("A kubeconfig is replaced this many seconds before it expires"),
});

/**
 * Keeps Rancher's cloud credentials for Harvester valid: a kubeconfig whose token has expired, or expires soon, is
 * replaced by one that Rancher generates. Without a valid kubeconfig, Rancher can no longer create or delete
 * machines (rancher/rancher#44912).
 */
export const credentialsValid = task({
  name: "credentialsValid",
  summary: "Keep Rancher's cloud credentials for Harvester valid",
  params,
  examples: [],
  title: ({ url }) => `the cloud credentials for Harvester in ${url} are valid`,
})
  .facts((p) => ({ found: cloudCredentials(questionOf(p)) }))
  .want((_p, { found }) => {
    if ("error" in found)
      return refuse({
        code: "credentials-not-seen",
        message: `cannot tell which cloud credentials are valid: ${found.error.where} does not answer as expected (${found.error.message})`,
        hint:
          found.error.code === "no-kubeconfig"
            ? missingKubeconfigHint
            : found.error.where === "Rancher"
              ? "Check rancherUrl, caCert and rancherToken, and whether this machine can reach Rancher"
              : "Check the kubeconfig of the cluster in which Rancher runs, and the permissions of its user",
      });
    const due = Object.entries(found.credentials).filter(([, one]) => one.due);
    if (due.length > 0 && found.obstacle !== undefined)
      return refuse({
        code: "not-renewable",
        message: `${due.map(([name, one]) => `${name} (${one.shown}): ${one.state}`).join("; ")}; it cannot be renewed: ${found.obstacle}`,
        hint: "Set rancherToken to an API token of a Rancher administrator, or correct rancherUrl",
      });
    return {
      found: { credentials: Object.fromEntries(Object.keys(found.credentials).map((name) => [name, { due: false }])) },
    };
  })
  .steps((p, { change, now }) => [
    change.found &&
      "credentials" in now.found &&
      cloudCredentialsRenewal(
        questionOf(p),
        Object.entries(now.found.credentials).flatMap(([name, one]) => (one.due ? [name] : [])),
      ),
  ])
  .notes((_p, { found }) => {
    if ("error" in found) return [];
    const all = Object.entries(found.credentials);
    if (all.length === 0) return ["Rancher has no cloud credential for Harvester"];
    const lines = all.map(
      ([name, { shown, cluster, state }]) => `${name} (${shown}, ${cluster || "no cluster"}): ${state}`,
    );
    const isDue = all.some(([, one]) => one.due);
    const next = "to find machines that failed: kubectl get machines.cluster.x-k8s.io --all-namespaces";
    return isDue ? [...lines, next] : lines;
  });

function questionOf({ kubeconfig, url, token, caCert, names, renewBeforeSeconds }: z.output<typeof params>) {
  return {
    kubeconfig,
    url,
    token,
    renewBeforeSeconds,
    ...(caCert !== undefined && { caCert }),
    ...(names !== undefined && { names }),
  };
}
