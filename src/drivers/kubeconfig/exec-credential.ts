import { createSecureContext } from "node:tls";
import { load } from "js-yaml";
import { z } from "zod";

/** The credential that a program returns for a user. */
export interface Credential {
  readonly token?: string;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** A credential, and its expiry in milliseconds since 1970; undefined if it does not expire. */
export interface Provided {
  readonly credential: Credential;
  readonly expires: number | undefined;
}

const time = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/)
  .transform((text) => Date.parse(text))
  .refine((at) => !Number.isNaN(at));

const kind = z.looseObject({ kind: z.literal("ExecCredential"), apiVersion: z.string() });
const text = z.string().nullish();
const status = z.looseObject({
  token: text,
  clientCertificateData: text,
  clientKeyData: text,
  expirationTimestamp: time.nullish(),
});

/**
 * Reads the credential that a program has printed. If the output is not a valid credential, returns what the program
 * did wrong, without quoting the output, because it may contain a credential.
 */
export function providedIn(output: string, apiVersion: string): Provided | string {
  const value = valueIn(output);
  const said = kind.safeParse(value);
  if (!said.success) return "printed something that is not an ExecCredential";
  if (said.data.apiVersion !== apiVersion) return `printed an ExecCredential whose apiVersion is not ${apiVersion}`;
  if (!said.data["status"]) return "printed an ExecCredential without a status";
  const result = status.safeParse(said.data["status"]);
  if (!result.success) {
    const field = result.error.issues[0]?.path.join(".") ?? "";
    return `printed an ExecCredential whose status${field === "" ? "" : `.${field}`} has a wrong form`;
  }
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = result.data;
  if (Boolean(cert) !== Boolean(key)) return "printed a certificate without its key, or a key without its certificate";
  if (!token && !cert) return "printed an ExecCredential with neither a token nor a certificate";
  if (token && !/^[\x21-\x7E]+$/.test(token)) return "printed a token that contains invalid characters";
  if (cert && key && !isPair(cert, key)) return "printed a certificate and a key that do not match";
  return {
    credential: {
      ...(token && { token }),
      ...(cert && key && { cert: Buffer.from(cert), key: Buffer.from(key) }),
    },
    expires: expirationTimestamp ?? undefined,
  };
}

/** Programs may print JSON or YAML. */
function valueIn(output: string): unknown {
  try {
    return JSON.parse(output) as unknown;
  } catch {
    try {
      return load(output);
    } catch {
      return undefined;
    }
  }
}

function isPair(cert: string, key: string): boolean {
  try {
    createSecureContext({ cert, key });
    return true;
  } catch {
    return false;
  }
}
