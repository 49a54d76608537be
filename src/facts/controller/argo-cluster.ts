import type { ControllerFact, FactPattern } from "../../core/facts/fact.ts";
import type { CallStep } from "../../core/host/step.ts";

/** A cluster as it should be registered in Argo CD, and the account on it that Argo CD uses. */
export interface ArgoClusterQuestion {
  /** The kubeconfig of the cluster in which Argo CD runs. */
  readonly argoKubeconfig: string;
  readonly argoNamespace: string;
  /** The kubeconfig of the cluster that is registered. */
  readonly kubeconfig: string;
  /** The name of the Secret. */
  readonly secret: string;
  /** The name of the cluster in Argo CD. */
  readonly name: string;
  readonly server: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly account: { readonly namespace: string; readonly name: string };
  readonly lifetimeSeconds: number;
  /** A token is replaced this many seconds before it expires. */
  readonly renewBeforeSeconds: number;
  readonly fieldManager: string;
}

/** What Argo CD knows about a cluster. This value contains no part of the token. */
export type ArgoCluster =
  | {
      readonly error: {
        /** The name of the cluster that did not answer: `Argo CD's cluster`. */
        readonly where: string;
        readonly code: string;
        readonly message: string;
      };
    }
  | {
      /** Other Secrets in which Argo CD finds a cluster with this name or this server. */
      readonly others: readonly string[];
      readonly found: false;
    }
  | {
      readonly others: readonly string[];
      readonly found: true;
      /** Whether the Secret was created under this field manager. */
      readonly isOwn: boolean;
      readonly name: string;
      readonly server: string;
      readonly labels: Readonly<Record<string, string>>;
      /** The labels that were applied under this field manager, sorted. */
      readonly ownLabels: readonly string[];
      /**
       * The Applications that would lose their cluster, or that an ApplicationSet would no longer generate, because of
       * the requested changes: a removed or changed label, a new name, a new server.
       */
      readonly atRisk: readonly string[];
      /**
       * `expected` if Argo CD checks the server's certificate against the cluster's CA, and has no other TLS setting.
       */
      readonly tls: "expected" | "other";
      /**
       * The identity of the token in the cluster, `system:serviceaccount:kube-system:argocd`, or why the token has
       * none. The cluster is asked only about a token that furrow has written for this cluster.
       */
      readonly identity: string;
      /** When the token expires, as an ISO 8601 time in UTC; empty if the token contains no such time. */
      readonly expires: string;
      readonly renewalDue: boolean;
    };

/** The clusters that are registered with Argo CD. This value contains no part of a token. */
export type ArgoClusters =
  | Extract<ArgoCluster, { readonly error: unknown }>
  | {
      /** The clusters' names in Argo CD, sorted; a cluster without a name is listed by its server. */
      readonly names: readonly string[];
    };

/** Asks which clusters are registered with Argo CD. */
export function argoClusters(argoKubeconfig: string, argoNamespace: string): ControllerFact<ArgoClusters> {
  return { driver: "argo", request: { clustersOf: { argoKubeconfig, argoNamespace } } };
}

/** All facts about the clusters that are registered with any Argo CD, because a registration changes these facts. */
export const argoClustersFacts: readonly FactPattern[] = [`argo:{"clustersOf":**`];

/** Reads what Argo CD knows about a cluster, and asks the cluster whether it accepts the token that Argo CD has. */
export function argoCluster(question: ArgoClusterQuestion): ControllerFact<ArgoCluster> {
  return { driver: "argo", request: { ...question, labels: { ...question.labels }, account: { ...question.account } } };
}

/**
 * A step that has the cluster issue a token for the account, and writes Argo CD's Secret. The token stays in the
 * driver.
 */
export function argoRegister(question: ArgoClusterQuestion): CallStep {
  return {
    step: "call",
    driver: "argo",
    request: { ...question, labels: { ...question.labels }, account: { ...question.account } },
    label: `register ${question.name} with Argo CD`,
  };
}

/** The label by which Argo CD finds its clusters (docs/operator-manual/declarative-setup.md in argoproj/argo-cd). */
export const argoClusterLabel = "argocd.argoproj.io/secret-type";

/** The user name by which a cluster identifies a ServiceAccount. */
export function accountIdentity({ namespace, name }: ArgoClusterQuestion["account"]): string {
  return `system:serviceaccount:${namespace}:${name}`;
}
