import { z } from "zod";
import type { Driver } from "../../core/host/driver.ts";
import { FurrowError } from "../../core/errors.ts";
import { hideCredential } from "../../core/secrets/secret.ts";
import {
  type ArgoCluster,
  argoClusterLabel,
  type ArgoClusterQuestion,
  type ArgoClusters,
} from "../../facts/controller/argo-cluster.ts";
import type { Patience } from "../kubernetes-exchange.ts";
import { Side, Unanswered } from "./side.ts";
import { canonical } from "../../core/facts/compare.ts";
import { clustersRequest, readClusters } from "./argo-clusters.ts";
import { atRiskIn } from "./argo-risk.ts";
import { claimsOf, type ClusterSecret, decoded, restOf, sameServer, secretOf } from "./argo-secret.ts";

const name = z.string().min(1);

const requestSchema = z.strictObject({
  argoKubeconfig: name,
  argoNamespace: name,
  kubeconfig: name,
  secret: name,
  name,
  server: z.url(),
  labels: z.record(z.string(), z.string()),
  account: z.strictObject({ namespace: name, name }),
  lifetimeSeconds: z.int().min(600),
  renewBeforeSeconds: z.int().nonnegative(),
  fieldManager: name,
});

/**
 * Registers clusters with Argo CD. Tokens are read, issued and written here, and the driver never returns them.
 */
export const argoDriver: Driver = argoDriverWith({ requestMs: 30_000, deadlineMs: 60_000, pauseMs: 1000 });

/** Returns the driver with different deadlines, for tests. */
export function argoDriverWith(patience: Patience): Driver {
  return {
    name: "argo",
    read: async (request, signal): Promise<ArgoCluster | ArgoClusters> => {
      try {
        const asked = clustersRequest.safeParse(request).data;
        if (asked !== undefined) return await readClusters(asked, patience, signal);
        return await look(requestSchema.parse(request), patience, signal);
      } catch (error) {
        if (error instanceof Unanswered) return { error: error.reason };
        throw error;
      }
    },
    call: async (request, signal) =>
      attempt(requestSchema.parse(request), (question) => register(question, patience, signal)),
    rehearse: async (request, signal) =>
      attempt(requestSchema.parse(request), async (question) => {
        const { argo, authority } = await open(question, patience, signal);
        await applySecret(argo, question, secretOf(question, authority, "a-token"), "&dryRun=All");
        return undefined;
      }),
  };
}

/** Performs a call, and turns an unanswered query into an error for the user. */
async function attempt<T>(
  question: ArgoClusterQuestion,
  act: (question: ArgoClusterQuestion) => Promise<T>,
): Promise<T> {
  try {
    return await act(question);
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
    throw new FurrowError("E_DRIVER", {
      what: `${question.name} cannot be registered with Argo CD`,
      current: error.message,
      hint: "Check both kubeconfigs and the permissions of their users",
    });
  }
}

const authorityPath = "/api/v1/namespaces/kube-system/configmaps/kube-root-ca.crt";
const authoritySchema = z.looseObject({ data: z.looseObject({ "ca.crt": z.string().min(1) }) });

async function open(question: ArgoClusterQuestion, patience: Patience, signal: AbortSignal) {
  const argo = await Side.open("Argo CD's cluster", question.argoKubeconfig, patience, signal);
  const cluster = await Side.open("the cluster that is registered", question.kubeconfig, patience, signal);
  const { data } = authoritySchema.safeParse(await cluster.object(authorityPath));
  if (data === undefined) throw cluster.wrong(authorityPath);
  return { argo, cluster, authority: data.data["ca.crt"] };
}

function secretsPath({ argoNamespace }: ArgoClusterQuestion): string {
  return `/api/v1/namespaces/${argoNamespace}/secrets`;
}

async function look(question: ArgoClusterQuestion, patience: Patience, signal: AbortSignal): Promise<ArgoCluster> {
  const { argo, cluster, authority } = await open(question, patience, signal);
  const path = secretsPath(question);
  const selector = encodeURIComponent(`${argoClusterLabel}=cluster`);
  const list = await argo.list(`${path}?labelSelector=${selector}`, "SecretList");
  const known = list.flatMap((one) => decoded(one) ?? []);
  if (known.length !== list.length) throw argo.wrong(path);
  const others = known
    .filter((one) => one.secret !== question.secret)
    .filter((one) => one.name === question.name || sameServer(one.server, question.server))
    .map((one) => one.secret)
    .toSorted();
  const object = await argo.object(`${path}/${question.secret}`);
  if (object === undefined) return { others, found: false };
  const own = decoded(object);
  if (own === undefined || own.secret !== question.secret) throw argo.wrong(`${path}/${question.secret}`);
  const state = await stateOf(own, question, cluster, authority);
  return { others, found: true, ...state, atRisk: await atRiskIn(own, question, argo) };
}

type Account = ArgoClusterQuestion["account"];

const reviewSchema = z.looseObject({
  status: z.looseObject({
    authenticated: z.boolean().default(false),
    error: z.string().default(""),
    user: z.looseObject({ username: z.string().default("") }).default({ username: "" }),
  }),
});

async function stateOf(
  { managers, labels, labelsOf, name: known, server, token, rest }: ClusterSecret,
  { fieldManager, renewBeforeSeconds, account, server: wanted }: ArgoClusterQuestion,
  cluster: Side,
  authority: string,
) {
  const { end } = claimsOf(token);
  const isOwn = managers.includes(fieldManager);
  // Another cluster's token must not be sent to this one.
  const mayAsk = isOwn && sameServer(server, wanted);
  const other = isOwn
    ? "not checked: the token is for a different server"
    : "not checked: furrow did not create the Secret";
  return {
    isOwn,
    name: known,
    server,
    labels,
    ownLabels: labelsOf(fieldManager),
    tls: rest === canonical(restOf(authority)) ? ("expected" as const) : ("other" as const),
    identity: token === "" ? "no token" : mayAsk ? await identityOf(token, account, cluster) : other,
    expires: end === undefined ? "" : isoOf(end),
    // A token without expiry is not renewed.
    renewalDue: end !== undefined && end - Date.now() / 1000 < renewBeforeSeconds,
  };
}

const accountSchema = z.looseObject({
  kind: z.literal("ServiceAccount"),
  metadata: z.looseObject({ uid: z.string() }),
});

/** Asks the cluster which account the token belongs to. The cluster does not store the query. */
async function identityOf(token: string, { namespace, name: own }: Account, cluster: Side): Promise<string> {
  // The cluster still accepts a token for a few seconds after its account was deleted or re-created.
  const place = `/api/v1/namespaces/${namespace}/serviceaccounts/${own}`;
  const object = await cluster.object(place);
  if (object === undefined) return "a token whose account does not exist";
  const { data: account } = accountSchema.safeParse(object);
  if (account === undefined) throw cluster.wrong(place);
  const { account: uid = account.metadata.uid } = claimsOf(token);
  if (uid !== account.metadata.uid) return "a token that belongs to a different account";
  hideCredential(token, "argo-token");
  const path = "/apis/authentication.k8s.io/v1/tokenreviews";
  const review = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token } };
  const { data } = reviewSchema.safeParse(await cluster.json({ path, method: "POST", body: review }, [200, 201]));
  if (data === undefined) throw cluster.wrong(path);
  return data.status.authenticated ? data.status.user.username : "a token that the cluster does not accept";
}

const tokenSchema = z.looseObject({ status: z.looseObject({ token: z.string().min(1) }) });

async function register(question: ArgoClusterQuestion, patience: Patience, signal: AbortSignal): Promise<void> {
  const { argo, cluster, authority } = await open(question, patience, signal);
  const { account, lifetimeSeconds, renewBeforeSeconds } = question;
  const path = `/api/v1/namespaces/${account.namespace}/serviceaccounts/${account.name}/token`;
  const wanted = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: { expirationSeconds: lifetimeSeconds },
  };
  const { data } = tokenSchema.safeParse(await cluster.json({ path, method: "POST", body: wanted }, [200, 201]));
  if (data === undefined) throw cluster.wrong(path);
  const { token } = data.status;
  hideCredential(token, "argo-token");
  const { end } = claimsOf(token);
  if (end !== undefined && end - Date.now() / 1000 < renewBeforeSeconds)
    throw new FurrowError("E_DRIVER", {
      what: `the cluster gives ${account.name} a token that expires at ${isoOf(end)}, earlier than requested`,
      hint: "Lower renewBeforeHours, or raise the maximum lifetime of tokens (service-account-max-token-expiration)",
    });
  await applySecret(argo, question, secretOf(question, authority, token));
}

async function applySecret(argo: Side, question: ArgoClusterQuestion, object: object, query = ""): Promise<void> {
  const manager = encodeURIComponent(question.fieldManager);
  await argo.json(
    {
      path: `${secretsPath(question)}/${question.secret}?fieldManager=${manager}&force=true${query}`,
      method: "PATCH",
      contentType: "application/apply-patch+yaml",
      body: object,
    },
    [200, 201],
  );
}

function isoOf(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}
