import type { Agent } from "node:https";
import pLimit, { type LimitFunction } from "p-limit";
import { FurrowError } from "../../core/errors.ts";
import type { KubeCluster } from "../../facts/controller/kube-object.ts";
import type { Credential } from "../kubeconfig/exec-credential.ts";
import { type ClusterAccess, readKubeconfig } from "../kubeconfig/kubeconfig.ts";
import { agentFor } from "../kubeconfig/proxy-agent.ts";
import { type ApiAnswer, type ApiRequest, Conversation, NoAnswer, type Patience } from "../kubernetes-exchange.ts";
import { failureOf } from "./failures.ts";
import type { Question } from "./question.ts";

/** Connections are pooled per cluster and credentials, because a TLS handshake costs more than most requests. */
const agents = new Map<string, Agent>();

/** The objects of a manifest are queried at the same time. More connections would not make the server any faster. */
const mostConnections = 8;

/**
 * Requests that are waiting for a connection. A question's deadline starts when its first request is sent, not while
 * that request is queued.
 */
const turns = new Map<string, LimitFunction>();

/** The API of a cluster, during one question or change. */
export class Cluster {
  /** Identifies the API and the credentials. */
  readonly id: string;
  readonly server: string;
  /** The query for one object, if many such queries may share a list. */
  readonly question: Question | undefined;
  readonly #open: () => Conversation;
  readonly #access: ClusterAccess;
  readonly #signal: AbortSignal;
  readonly #turns: LimitFunction;
  #conversation: Conversation | undefined;

  constructor(access: ClusterAccess, patience: Patience, signal: AbortSignal, question?: Question) {
    this.question = question;
    this.server = access.server;
    this.#access = access;
    this.#signal = signal;
    this.id = idOf(access);
    const agent = agents.get(this.id) ?? agentFor(access, { keepAlive: true, maxSockets: mostConnections });
    agents.set(this.id, agent);
    this.#open = () => new Conversation({ ...access, agent }, patience, signal);
    this.#turns = turns.get(this.id) ?? pLimit(mostConnections);
    turns.set(this.id, this.#turns);
  }

  /** Sends a request. Throws FurrowError E_DRIVER if there is no complete response; `doing` describes the attempt. */
  async ask(request: ApiRequest, doing: string): Promise<ApiAnswer> {
    try {
      return await this.#turns(() => (this.#conversation ??= this.#open()).ask(request));
    } catch (error) {
      throw error instanceof NoAnswer
        ? failureOf(doing, this.server, { code: error.code, message: error.message })
        : error;
    }
  }

  /**
   * Opens a separate connection, with the user's credential; retries once with a new credential if the server refused
   * the first. Throws NoAnswer if there is no credential, and whatever `open` throws.
   */
  connect<T>(
    open: (access: ClusterAccess, credential: Credential, signal: AbortSignal) => Promise<T>,
    isRefused: (answer: T) => boolean,
  ): Promise<T> {
    return this.#open().asUser((credential) => open(this.#access, credential, this.#signal), isRefused);
  }
}

const ids = new WeakMap<ClusterAccess, string>();

function idOf(access: ClusterAccess): string {
  const { server, serverName, ca, cert, key, token, insecure, login, impersonation, proxy, through } = access;
  const known = ids.get(access);
  const parts = [ca, cert, key].map((part) => part?.toString());
  const user = [token, login?.id, impersonation];
  const id = known ?? JSON.stringify([server, serverName, insecure, proxy?.href, through, user, ...parts]);
  ids.set(access, id);
  return id;
}

/**
 * Opens the API of a cluster. Throws FurrowError E_DRIVER if the kubeconfig does not exist, E_FILE if it is invalid.
 */
export async function openCluster(
  { kubeconfig, context }: KubeCluster,
  patience: Patience,
  signal: AbortSignal,
  question?: Question,
): Promise<Cluster> {
  const access = await readKubeconfig(kubeconfig, context);
  if (access !== undefined) return new Cluster(access, patience, signal, question);
  throw new FurrowError("E_DRIVER", {
    what: `the kubeconfig ${kubeconfig} does not exist on the controller`,
    hint: "Correct the path, or fetch the kubeconfig with an earlier task",
  });
}
