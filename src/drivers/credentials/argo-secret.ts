import { z } from "zod";
import { canonical } from "../../core/facts/compare.ts";
import { argoClusterLabel, type ArgoClusterQuestion } from "../../facts/controller/argo-cluster.ts";

const texts = z.record(z.string(), z.string()).default({});

const schema = z.looseObject({
  metadata: z.looseObject({
    name: z.string(),
    labels: texts,
    managedFields: z
      .array(
        z.looseObject({
          manager: z.string().default(""),
          operation: z.string().default(""),
          fieldsV1: z
            .looseObject({
              "f:metadata": z.looseObject({ "f:labels": z.record(z.string(), z.unknown()).default({}) }).optional(),
            })
            .optional(),
        }),
      )
      .default([]),
  }),
  data: texts,
});

const configSchema = z.looseObject({ bearerToken: z.string().default("") });

/** One of Argo CD's Secrets, decoded. */
export interface ClusterSecret {
  readonly secret: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly managers: readonly string[];
  /** The labels that a manager owns: applying the Secret without these labels would remove them. */
  readonly labelsOf: (manager: string) => string[];
  readonly name: string;
  readonly server: string;
  readonly token: string;
  /** The Secret's remaining configuration, in a form that can be compared. */
  readonly rest: string;
}

/** Decodes a Secret; undefined for any other object. */
export function decoded(object: unknown): ClusterSecret | undefined {
  const { data } = schema.safeParse(object);
  if (data === undefined) return undefined;
  const { metadata, data: values } = data;
  const plain = (key: string): string => Buffer.from(values[key] ?? "", "base64").toString("utf8");
  const { bearerToken = "", ...rest } = configSchema.safeParse(parsed(plain("config"))).data ?? {};
  return {
    secret: metadata.name,
    labels: metadata.labels,
    managers: metadata.managedFields.map(({ manager }) => manager),
    labelsOf: (own) =>
      metadata.managedFields
        .filter(({ manager, operation }) => manager === own && operation === "Apply")
        .flatMap(({ fieldsV1 }) => Object.keys(fieldsV1?.["f:metadata"]?.["f:labels"] ?? {}))
        .filter((key) => key.startsWith("f:"))
        .map((key) => key.slice(2))
        .toSorted(),
    name: plain("name"),
    server: plain("server"),
    token: bearerToken,
    rest: canonical(rest),
  };
}

/** Whether two URLs belong to the same server. */
export function sameServer(a: string, b: string): boolean {
  return a.replace(/\/+$/, "") === b.replace(/\/+$/, "");
}

/** Argo CD's configuration of a cluster, without the token. */
export function restOf(authority: string): object {
  return { tlsClientConfig: { insecure: false, caData: Buffer.from(authority).toString("base64") } };
}

/** The Secret as it is applied. It uses `data`: `stringData` cannot be read back, and its keys are never removed. */
export function secretOf(question: ArgoClusterQuestion, authority: string, token: string): object {
  const { secret, argoNamespace, name, server, labels } = question;
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: secret, namespace: argoNamespace, labels: { ...labels, [argoClusterLabel]: "cluster" } },
    type: "Opaque",
    data: {
      name: base64(name),
      server: base64(server),
      config: base64(JSON.stringify({ bearerToken: token, ...restOf(authority) })),
    },
  };
}

const claims = z.looseObject({
  exp: z.number().optional(),
  "kubernetes.io": z.looseObject({ serviceaccount: z.looseObject({ uid: z.string() }).optional() }).optional(),
});

/**
 * When a token expires, in seconds since 1970, and the uid of its account. Each is undefined if the token does not
 * contain it.
 */
export function claimsOf(token: string): { readonly end?: number | undefined; readonly account?: string | undefined } {
  const [, payload = ""] = token.split(".");
  const { data } = claims.safeParse(parsed(Buffer.from(payload, "base64url").toString("utf8")));
  return { end: data?.exp, account: data?.["kubernetes.io"]?.serviceaccount?.uid };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
