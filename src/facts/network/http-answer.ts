import type { ControllerFact, Json } from "../../core/fact.ts";

/** What a web server answered, or why there is no answer. */
export type HttpAnswer =
  | {
      readonly status: number;
      /** Its first 64 KiB, or as many bytes as asked for, as text made by decodeBytes. */
      readonly body: string;
      /** By lower-case name. */
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly error: { readonly code: string; readonly message: string } };

/** What is asked of a web server. */
export interface HttpQuestion {
  readonly url: string;
  /** For the whole exchange. */
  readonly timeoutSeconds: number;
  /** Values may hold secrets. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Accept any certificate. */
  readonly insecure?: boolean;
  /** PEM certificates to trust instead of the usual ones. */
  readonly caCert?: string;
  /** Bytes of the body that are kept; default 64 KiB. */
  readonly maxBytes?: number;
  /** Where the body does not come to its end in time, the status and what came of it are the answer. */
  readonly partial?: boolean;
  /** How many redirects are followed; default none. */
  readonly redirects?: number;
}

/** Asks a web server from the controller. */
export function httpAnswer(question: HttpQuestion): ControllerFact<HttpAnswer> {
  return { driver: "http", request: { ...question } satisfies Json };
}
