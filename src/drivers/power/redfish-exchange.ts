import { X509Certificate } from "node:crypto";
import { request } from "node:https";
import { isIP } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { z } from "zod";
import { FurrowError } from "../../core/errors.ts";
import { hideCredential, reveal } from "../../core/secrets/secret.ts";

/** The fields of a request that specify how to reach a management controller. */
export const accessSchema = z.strictObject({
  url: z.url({ protocol: /^https$/ }),
  user: z.string().min(1),
  password: z.string().min(1),
  system: z.string().min(1).optional(),
  caCert: z.string().min(1).optional(),
  fingerprint: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  insecure: z.boolean().optional(),
});

type Access = z.output<typeof accessSchema>;

/** A response from a management controller. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** The maximum size of a response in bytes: a controller may be broken, or may be a different server. */
const mostBytes = 1_048_576;

/**
 * Sends one request. The certificate is verified before the password is sent: against the usual authorities or
 * `caCert`, against `fingerprint`, or not at all with `insecure`. Throws an Error if no complete response arrives.
 */
export async function exchange(
  access: Access,
  method: "GET" | "POST",
  path: string,
  { body, timeoutMs, signal }: { readonly body?: object; readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<Answer> {
  const ends = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const base = new URL(access.url);
  const password = reveal(access.password);
  hideCredential(password, "bmc-password");
  const socket = await connected(access, base, ends);
  const content = body === undefined ? undefined : JSON.stringify(body);
  const login = Buffer.from(`${access.user}:${password}`).toString("base64");
  try {
    return await new Promise<Answer>((resolve, reject) => {
      const sent = request(
        {
          createConnection: () => socket,
          method,
          host: base.hostname,
          path,
          signal: ends,
          headers: {
            host: base.host,
            accept: "application/json",
            "odata-version": "4.0",
            authorization: `Basic ${login}`,
            connection: "close",
            ...(content !== undefined && {
              "content-type": "application/json",
              "content-length": Buffer.byteLength(content),
            }),
          },
        },
        (answer) => {
          const parts: Buffer[] = [];
          let size = 0;
          answer.on("data", (part: Buffer) => {
            size += part.length;
            if (size > mostBytes) answer.destroy(new Error(`an answer of more than ${mostBytes} bytes`));
            else parts.push(part);
          });
          answer.on("error", reject);
          answer.on("end", () =>
            resolve({ status: answer.statusCode ?? 0, body: parsed(Buffer.concat(parts).toString("utf8")) }),
          );
        },
      );
      sent.on("error", reject);
      sent.end(content);
    });
  } catch (error) {
    signal.throwIfAborted();
    if (ends.aborted) throw new Error(`no answer within ${timeoutMs / 1000} s`, { cause: error });
    throw error;
  } finally {
    socket.destroy();
  }
}

function connected(access: Access, base: URL, signal: AbortSignal): Promise<TLSSocket> {
  const host = base.hostname.replaceAll(/^\[|\]$/g, "");
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port: Number(base.port || 443),
      ...(isIP(host) === 0 && { servername: host }),
      rejectUnauthorized: access.fingerprint === undefined && access.insecure !== true,
      ...(access.caCert !== undefined && { ca: access.caCert }),
    });
    const stop = (): void => void socket.destroy(new Error("stopped"));
    signal.addEventListener("abort", stop, { once: true });
    socket.once("error", reject);
    socket.once("secureConnect", () => {
      signal.removeEventListener("abort", stop);
      const seen = fingerprintOf(socket);
      if (access.fingerprint === undefined || seen === access.fingerprint) return resolve(socket);
      socket.destroy();
      reject(
        new FurrowError("E_DRIVER", {
          what: `${base.host} presents a certificate that is not the pinned one`,
          current: `SHA-256 ${seen}`,
          expected: `SHA-256 ${access.fingerprint}`,
          hint: "Find out which machine answers there; if the certificate was renewed, correct fingerprint",
        }),
      );
    });
  });
}

function fingerprintOf(socket: TLSSocket): string {
  const { raw } = socket.getPeerCertificate();
  return new X509Certificate(raw).fingerprint256.replaceAll(":", "").toLowerCase();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
