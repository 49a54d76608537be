import type { ControllerFact, Json } from "../../core/facts/fact.ts";

/** A web server's response, or the reason why it did not respond. */
export type HttpAnswer =
  | {
      readonly status: number;
      /** The first 64 KiB of the body, or the first `maxBytes` bytes, decoded by decodeBytes. */
      readonly body: string;
      /** Headers by name, in lower case. */
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly error: { readonly code: string; readonly message: string } };

/** A request to a web server. */
export interface HttpQuestion {
  readonly url: string;
  /** The time limit for the whole exchange. */
  readonly timeoutSeconds: number;
  /** Headers by name; their values may contain secrets. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Accepts any certificate. */
  readonly insecure?: boolean;
  /** PEM certificates to trust instead of the system's certificates. */
  readonly caCert?: string;
  /** The number of bytes of the body that are kept; default 64 KiB. */
  readonly maxBytes?: number;
  /** If the body does not arrive in time, the result contains the status and the part of the body that was received. */
  readonly partial?: boolean;
  /** The number of redirects that are followed; default 0. */
  readonly redirects?: number;
}

/** Sends a request to a web server from the controller. */
export function httpAnswer(question: HttpQuestion): ControllerFact<HttpAnswer> {
  return { driver: "http", request: { ...question } satisfies Json };
}
