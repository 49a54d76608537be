import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { apply, read } from "../actors.ts";
import type { ApiServer } from "../server/api-server.ts";

interface Class {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
}

const annotation = "storageclass.kubernetes.io/is-default-class";
const name = "storage-classes.harvesterhci.io";
const isDefault = ({ metadata: { annotations } }: Class): boolean => annotations?.[annotation] === "true";

/**
 * Simulates Harvester's webhook for storage classes, which denies a second default (validateSetUniqueDefault in
 * pkg/webhook/resources/storageclass/validator.go of harvester/harvester). Returns a function that stops the webhook.
 */
export async function classWebhook(server: ApiServer): Promise<() => void> {
  const file = (own: string): Buffer => readFileSync(join(server.folder, own));
  const pages: Server = createServer({ key: file("server.key"), cert: file("server.crt") }, (asked, answer) => {
    let body = "";
    asked.on("data", (part: Buffer) => (body += part.toString()));
    asked.on("end", () => {
      const { request } = JSON.parse(body) as { request: { uid: string; object: Class } };
      const { items } = read(server, "storageclasses") as { items: Class[] };
      const own = request.object;
      const other = items.find((one) => isDefault(one) && one.metadata.name !== own.metadata.name);
      const allowed = !isDefault(own) || other === undefined;
      const message = `default storage class ${other?.metadata.name} already exists, please reset it first`;
      const response = { uid: request.uid, allowed, ...(!allowed && { status: { code: 422, message } }) };
      const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response };
      answer.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(review));
    });
  });
  await new Promise<void>((resolve) => {
    pages.listen(0, "127.0.0.1", resolve);
  });
  const { port } = pages.address() as AddressInfo;
  const webhook = {
    name,
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    timeoutSeconds: 30,
    clientConfig: { url: `https://127.0.0.1:${port}/`, caBundle: file("ca.crt").toString("base64") },
    rules: [
      {
        apiGroups: ["storage.k8s.io"],
        apiVersions: ["v1"],
        operations: ["CREATE", "UPDATE"],
        resources: ["storageclasses"],
      },
    ],
  };
  const kind = "ValidatingWebhookConfiguration";
  apply(server, { apiVersion: "admissionregistration.k8s.io/v1", kind, metadata: { name }, webhooks: [webhook] });
  return () => {
    server.kubectl(["delete", kind, name]);
    pages.closeAllConnections();
    pages.close();
  };
}
