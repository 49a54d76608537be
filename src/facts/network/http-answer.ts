import type { ControllerFact, Json } from "../../core/facts/fact.ts";

/** What a web server answered, or why there is no answer. */
export type HttpAnswer =
  | {
      readonly status: number;
      /** Its first 64 KiB, or `maxBytes` bytes, as text made by decodeBytes. */
      readonly body: string;
      /** By lower-case name. */
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly error: { readonly code: string; readonly message: string } };

/** A request to a web server. */
export interface HttpQuestion {
  readonly url: string;
  /** Time limit for the whole exchange. */
  readonly timeoutSeconds: number;
  /** Values may contain secrets. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Accept any certificate. */
  readonly insecure?: boolean;
  /** PEM certificates to trust instead of the usual ones. */
  readonly caCert?: string;
  /** Bytes of the body that are kept; default 64 KiB. */
  readonly maxBytes?: number;
  /** If the body does not end in time, the status and the received part are the answer. */
  readonly partial?: boolean;
  /** How many redirects are followed; default 0. */
  readonly redirects?: number;
}

/** Asks a web server from the controller. */
export function httpAnswer(question: HttpQuestion): ControllerFact<HttpAnswer> {
  return { driver: "http", request: { ...question } satisfies Json };
}
