import { Agent, request as requestHttps } from "node:https";
import { z } from "zod";
import type { Driver } from "../core/host/driver.ts";
import { FurrowError } from "../core/errors.ts";
import { reveal } from "../core/secrets/secret.ts";
import { type ClusterAccess, readKubeconfig } from "./kubeconfig.ts";

const requestSchema = z.strictObject({
  /** The kubeconfig on the controller; a relative path is resolved against furrow's working directory. */
  kubeconfig: z.string().min(1),
  /** The path in the API: `/api/v1/nodes/harvester-1`. */
  path: z.string().startsWith("/"),
  method: z.enum(["POST", "PATCH", "PUT", "DELETE"]).optional(),
  /** The body, sent as JSON; its strings may contain secrets. */
  body: z.json().optional(),
});

type KubernetesRequest = z.output<typeof requestSchema>;

/** A cluster's answer, or why it did not answer. `found` is false if the object does not exist. */
type KubernetesAnswer =
  | { readonly found: true; readonly object: unknown }
  | { readonly found: false }
  | { readonly error: { readonly code: string; readonly message: string } };

const timeoutMs = 30_000;
const limit = 16 * 2 ** 20;

/**
 * Queries a cluster's Kubernetes API, and makes changes through it, with a kubeconfig on the controller. PATCH sends a
 * merge patch (RFC 7386).
 */
export const kubernetesDriver: Driver = {
  name: "kubernetes",
  read: async (request, signal): Promise<KubernetesAnswer> => {
    const { kubeconfig, path } = requestSchema.parse(request);
    const access = await readKubeconfig(kubeconfig);
    if (!access)
      return {
        error: { code: "no-kubeconfig", message: `the kubeconfig ${kubeconfig} does not exist on the controller` },
      };
    try {
      const { status, body } = await exchange(access, { kubeconfig, path }, signal);
      if (status === 404) return { found: false };
      if (status >= 400) return { error: { code: `HTTP ${status}`, message: messageOf(body) } };
      return { found: true, object: JSON.parse(body) as unknown };
    } catch (error) {
      signal.throwIfAborted();
      const { code = "ERROR", message } = error as NodeJS.ErrnoException;
      return { error: { code, message } };
    }
  },
  call: async (request, signal): Promise<unknown> => {
    const wanted = requestSchema.parse(request);
    const access = await readKubeconfig(wanted.kubeconfig);
    if (!access) throw failed(wanted, `the kubeconfig ${wanted.kubeconfig} does not exist on the controller`);
    const { status, body } = await exchange(access, wanted, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      throw failed(wanted, (error as Error).message);
    });
    // If the object to delete does not exist, the deletion is treated as done.
    if (status === 404 && wanted.method === "DELETE") return undefined;
    if (status >= 400) throw failed(wanted, `HTTP ${status}: ${messageOf(body)}`);
    return body === "" ? undefined : (JSON.parse(body) as unknown);
  },
};

function exchange(
  access: ClusterAccess,
  { path, method, body }: KubernetesRequest,
  signal: AbortSignal,
): Promise<{ status: number; body: string }> {
  const { ca, cert, key, token, insecure, serverName } = access;
  return new Promise((settle, fail) => {
    const sent = requestHttps(new URL(access.server + path), {
      method: method ?? "GET",
      agent: new Agent({ keepAlive: false }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      rejectUnauthorized: !insecure,
      ...(ca && { ca }),
      ...(cert && { cert }),
      ...(key && { key }),
      ...(serverName !== undefined && { servername: serverName }),
      headers: {
        accept: "application/json",
        "user-agent": "furrow",
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && {
          "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
        }),
      },
    });
    sent.on("error", fail);
    sent.on("response", (response) => {
      const parts: Buffer[] = [];
      let size = 0;
      response.on("data", (part: Buffer) => {
        size += part.length;
        if (size > limit) return void response.destroy(new Error("the answer is too large"));
        return void parts.push(part);
      });
      response.on("error", fail);
      response.on("end", () =>
        settle({ status: response.statusCode ?? 0, body: Buffer.concat(parts).toString("utf8") }),
      );
    });
    sent.end(body === undefined ? undefined : reveal(JSON.stringify(body)));
  });
}

/** The message from a Status object, in which the API explains a refusal. */
function messageOf(body: string): string {
  try {
    const { message, reason } = JSON.parse(body) as { message?: string; reason?: string };
    return message ?? reason ?? body.slice(0, 200);
  } catch {
    return body.slice(0, 200);
  }
}

function failed({ method, path }: KubernetesRequest, current: string): FurrowError {
  return new FurrowError("E_DRIVER", {
    what: `${method ?? "GET"} ${path} failed`,
    current,
    hint: "Check whether the cluster answers: furrow run playbooks/harvester-status.ts",
  });
}
