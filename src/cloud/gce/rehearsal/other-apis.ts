import { isRecord } from "../../../core/facts/symbols.ts";
import { authOf } from "../clients.ts";

/** Google's APIs besides Compute Engine that furrow queries. */
export type ApiName = "cloudkms" | "cloudresourcemanager" | "iam" | "oauth2" | "orgpolicy" | "oslogin";

/** A request to one of these APIs. */
export interface ApiQuestion {
  readonly api: ApiName;
  /** The path after the host: `v1/projects/project-1:testIamPermissions`. */
  readonly path: string;
  /** The body of a POST request; undefined for a GET request. */
  readonly body?: object;
  /** Default: POST with a body, otherwise GET. */
  readonly method?: "DELETE" | "POST";
}

/** The response to a request. */
export type ApiAnswer =
  | { readonly is: "found"; readonly body: Readonly<Record<string, unknown>> }
  | { readonly is: "missing" }
  /** The reason why there is no response: `403: Permission denied`. */
  | { readonly is: "unknown"; readonly why: string };

/** The number of milliseconds after which furrow continues without the response. */
const patienceMs = 10_000;

/**
 * The addresses that did not respond, and the time until which they are skipped, because each attempt takes several
 * seconds.
 */
const unreachable = new Map<string, { readonly why: string; readonly until: number }>();

/**
 * Queries another Google API with the credentials of Compute Engine. A refused or failed query is not an error, because
 * the run itself finds any problem later. The environment variable `CLOUDSDK_API_ENDPOINT_OVERRIDES_API`, which gcloud
 * also uses, overrides the API's address.
 */
export async function askApi({ api, path, body, method }: ApiQuestion, signal: AbortSignal): Promise<ApiAnswer> {
  const base = process.env[`CLOUDSDK_API_ENDPOINT_OVERRIDES_${api.toUpperCase()}`] ?? `https://${api}.googleapis.com/`;
  const closed = unreachable.get(base);
  if (closed !== undefined && closed.until > Date.now()) return { is: "unknown", why: closed.why };
  try {
    const auth = await authOf("instances");
    const { status, data } = await auth.request({
      url: `${base.replace(/\/$/, "")}/${path}`,
      method: method ?? (body === undefined ? "GET" : "POST"),
      ...(body !== undefined && { data: body }),
      validateStatus: () => true,
      responseType: "json",
      retry: false,
      signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
    });
    if (status === 404) return { is: "missing" };
    if (status === 200 && isRecord(data)) return { is: "found", body: data };
    return { is: "unknown", why: `${api} answers ${status}${messageOf(data)}` };
  } catch (error) {
    signal.throwIfAborted();
    const why = `${api} does not answer: ${error instanceof Error ? error.message : String(error)}`;
    unreachable.set(base, { why, until: Date.now() + 60_000 });
    return { is: "unknown", why };
  }
}

function messageOf(data: unknown): string {
  const error = isRecord(data) && isRecord(data["error"]) ? data["error"] : {};
  const { message } = error as { readonly message?: unknown };
  return typeof message === "string" ? `: ${message.split("\n")[0] ?? ""}` : "";
}
