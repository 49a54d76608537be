import { z } from "zod";
import { readKubeconfig } from "../kubeconfig/kubeconfig.ts";
import { readList } from "../kubernetes-list.ts";
import {
  type ApiAnswer,
  type ApiRequest,
  Conversation,
  messageOf,
  NoAnswer,
  type Patience,
} from "../kubernetes-exchange.ts";

/** A query that did not get a usable response. */
export class Unanswered extends Error {
  readonly reason: { readonly where: string; readonly code: string; readonly message: string };

  constructor(where: string, code: string, message: string) {
    super(`${where}: ${message}`);
    this.reason = { where, code, message };
  }
}

/** One of the servers that a driver works with: a cluster's API. */
export class Side {
  readonly #where: string;
  readonly #conversation: Conversation;

  private constructor(where: string, conversation: Conversation) {
    this.#where = where;
    this.#conversation = conversation;
  }

  /** Opens a cluster's API; `where` is its name in messages. Throws Unanswered if the kubeconfig does not exist. */
  static async open(where: string, kubeconfig: string, patience: Patience, signal: AbortSignal): Promise<Side> {
    const access = await readKubeconfig(kubeconfig);
    if (access === undefined)
      throw new Unanswered(where, "no-kubeconfig", `the kubeconfig ${kubeconfig} does not exist on the controller`);
    return new Side(where, new Conversation(access, patience, signal));
  }

  /** Sends a request. Throws Unanswered unless the response is JSON with this status. */
  async json(request: ApiRequest, allowed: readonly number[] = [200]): Promise<unknown> {
    const answer = await this.#ask(request);
    if (allowed.includes(answer.status)) {
      try {
        return JSON.parse(answer.body) as unknown;
      } catch {
        throw new Unanswered(this.#where, "not-json", "the answer is not JSON");
      }
    }
    throw new Unanswered(this.#where, `HTTP ${answer.status}`, `HTTP ${answer.status}: ${messageOf(answer.body)}`);
  }

  /** All objects of a list of this kind. Throws Unanswered if a page is missing or the list is of another kind. */
  async list(path: string, kind: string): Promise<readonly unknown[]> {
    const answer = await readList(path, (page) => this.#ask({ path: page }));
    if ("error" in answer) {
      const { code, message } = answer.error;
      throw new Unanswered(this.#where, code, code.startsWith("HTTP ") ? `${code}: ${message}` : message);
    }
    if (answer.kind !== kind) throw this.wrong(path);
    return answer.items;
  }

  /** One object; undefined only if the API itself reports that no object has this name. */
  async object(path: string): Promise<unknown> {
    const object = await this.json({ path }, [200, 404]);
    const status = missing.safeParse(object);
    if (!status.success) {
      if (kindOnly.safeParse(object).data?.kind === "Status") throw this.wrong(path);
      return object;
    }
    if (status.data.details.name === path.split("/").at(-1)) return undefined;
    throw this.wrong(path);
  }

  /** The error for a response that does not describe the object or list at `path`. */
  wrong(path: string): Unanswered {
    return new Unanswered(this.#where, "wrong-answer", `the answer for ${path} describes something else`);
  }

  async #ask(request: ApiRequest): Promise<ApiAnswer> {
    try {
      return await this.#conversation.ask(request);
    } catch (error) {
      throw error instanceof NoAnswer ? new Unanswered(this.#where, error.code, error.message) : error;
    }
  }
}

const kindOnly = z.looseObject({ kind: z.string() });
const missing = z.looseObject({
  kind: z.literal("Status"),
  reason: z.literal("NotFound"),
  details: z.looseObject({ name: z.string() }),
});
