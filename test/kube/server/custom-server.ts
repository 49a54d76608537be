import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { kubeconfigText } from "./certificates.ts";
import { freePort, kubectlIn, type Processes } from "./processes.ts";

/** What a server for custom kinds needs to start. */
export interface CustomServerPlace {
  readonly folder: string;
  readonly program: string;
  /** The URL of the API server with the built-in kinds, which authorizes users and stores the namespaces. */
  readonly core: string;
  /** The URL of that server's etcd. */
  readonly etcd: string;
  readonly audit: readonly string[];
  readonly front: readonly string[];
}

/**
 * Starts the server for custom kinds, and a front that combines it with the server for the built-in kinds. Returns the
 * front's URL.
 */
export async function startCustomServer(place: CustomServerPlace, processes: Processes): Promise<string> {
  const { folder, program, core, etcd, audit, front } = place;
  const port = await freePort();
  const url = `https://127.0.0.1:${port}`;
  const toCore = join(folder, "to-core.kubeconfig");
  writeFileSync(toCore, kubeconfigText(folder, "admin", core));
  writeFileSync(join(folder, "to-custom.kubeconfig"), kubeconfigText(folder, "admin", url));
  processes.start("custom", program, [
    `--etcd-servers=${etcd}`,
    "--etcd-prefix=/custom",
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    `--tls-cert-file=${join(folder, "server.crt")}`,
    `--tls-private-key-file=${join(folder, "server.key")}`,
    `--client-ca-file=${join(folder, "ca.crt")}`,
    "--authentication-skip-lookup=true",
    ...["authentication-kubeconfig", "authorization-kubeconfig", "kubeconfig"].map((name) => `--${name}=${toCore}`),
    // With these short TTLs, a change to a user's rights takes effect immediately.
    "--authorization-webhook-cache-authorized-ttl=1ms",
    "--authorization-webhook-cache-unauthorized-ttl=1ms",
    "--authentication-token-webhook-cache-ttl=1ms",
    // The old server does not have the objects that configure these features.
    "--enable-priority-and-fairness=false",
    "--disable-admission-plugins=MutatingAdmissionPolicy,ValidatingAdmissionPolicy,MutatingAdmissionWebhook,ValidatingAdmissionWebhook",
    ...audit,
    ...front,
  ]);
  const asks = (kubeconfig: string, ...argv: string[]): string => kubectlIn(folder, kubeconfig, argv);
  await processes.ready("custom", () => asks("to-custom.kubeconfig", "get", "--raw", "/readyz") === "ok");
  processes.start("front", process.execPath, [join(import.meta.dirname, "front.ts"), folder, core, url]);
  await processes.ready("front", () => {
    if (frontUrl(folder) === "") throw new Error("the front does not listen yet");
    return true;
  });
  return frontUrl(folder);
}

function frontUrl(folder: string): string {
  return /^https:\S+$/m.exec(readFileSync(join(folder, "front.log"), "utf8"))?.[0] ?? "";
}
