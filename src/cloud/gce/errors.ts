import { FurrowError } from "../../core/errors.ts";

/** An error from the API's client or from an operation, with its known details. */
export interface ApiError {
  /** The HTTP status; 0 if there was no answer. */
  readonly status: number;
  /** The client's gRPC code, or 0. */
  readonly grpc: number;
  /** The API's own code: `ZONE_RESOURCE_POOL_EXHAUSTED`, `SERVICE_DISABLED`; may be empty. */
  readonly reason: string;
  readonly message: string;
}

/** Extracts the details from anything that a client throws. */
export function apiError(error: unknown): ApiError {
  const { httpStatusCode, code, reason, message, cause } = error as {
    httpStatusCode?: number;
    code?: number | string;
    reason?: string;
    message?: string;
    cause?: { status?: number; message?: string; code?: unknown };
  };
  const status = [httpStatusCode, cause?.status, code].find((value) => typeof value === "number" && value >= 100);
  return {
    status: typeof status === "number" ? status : 0,
    grpc: typeof code === "number" && code < 100 ? code : 0,
    reason: reason ?? "",
    message: message ?? String(error),
  };
}

/** True if the same request may succeed a moment later (https://cloud.google.com/compute/docs/api/best-practices). */
export function isPassing({ status, grpc, reason, message }: ApiError): boolean {
  if (/quota/i.test(reason) || isCredentials(message)) return false;
  if ([429, 500, 502, 503, 504].includes(status)) return true;
  return (
    status === 0 && (grpc === 14 || grpc === 4 || /ECONNRESET|ECONNREFUSED|ETIMEDOUT|socket hang up/.test(message))
  );
}

/**
 * True if the resource itself does not exist; false if its project or zone does not exist, even if that project or zone
 * has the same name as the resource. The API quotes the missing path. `path` is the end of the resource's path:
 * `instances/web`.
 */
export function isAbsent({ status, message }: ApiError, path: string): boolean {
  return status === 404 && message.includes(`/${path}'`);
}

/** True if a resource with that name already exists. */
export function isThere({ status, message }: ApiError): boolean {
  return status === 409 && message.includes("already exists");
}

function isCredentials(message: string): boolean {
  return /default credentials|invalid_grant|invalid_rapt|refresh token|reauth|Subject_token|subject token/i.test(
    message,
  );
}

/** Conditions that recognize API errors, with hints on what to do; the first match is used. */
const causes: readonly (readonly [test: (error: ApiError) => boolean, hint: string])[] = [
  [
    ({ message }) => /Could not load the default credentials/i.test(message),
    "Run gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS to a credentials file",
  ],
  [
    ({ message }) => /file at .* does not exist|ENOENT|not a file|credential file/i.test(message),
    "Correct GOOGLE_APPLICATION_CREDENTIALS: it must point to a readable credentials file",
  ],
  [
    ({ status, message }) => status === 401 || isCredentials(message),
    "Renew the credentials: gcloud auth application-default login, or a new file in GOOGLE_APPLICATION_CREDENTIALS",
  ],
  [
    ({ reason, message }) =>
      reason === "SERVICE_DISABLED" || /has not been used in project|it is disabled/.test(message),
    "Enable the API: gcloud services enable compute.googleapis.com --project PROJECT; it takes a few minutes",
  ],
  [
    ({ reason, message }) => /QUOTA/i.test(reason) || message.startsWith("Quota '"),
    "Ask for a higher quota in the console (IAM and admin, Quotas), or choose a smaller machine or another region",
  ],
  [
    ({ status }) => status === 403,
    "Give the account of these credentials the role roles/compute.admin in this project",
  ],
  [
    ({ reason, message }) => /ZONE_RESOURCE_POOL_EXHAUSTED|stockout/i.test(reason + message),
    "Choose another zone or machine type, or rerun later: Google has no free capacity for this type there now",
  ],
  [
    ({ reason, message }) =>
      /RESOURCE_IN_USE_BY_ANOTHER_RESOURCE|resourceInUseByAnotherResource/.test(reason) ||
      /is already being used by/.test(message),
    "First remove what uses the resource",
  ],
  [
    ({ message }) => /nested ?virtualization/i.test(message),
    "Choose a machine type that supports nested virtualization, such as one from the n2 or c3 series",
  ],
  [
    ({ message }) =>
      /Unknown (zone|region)|Invalid value for field '(zone|region)'|'projects\/[^']*\/(zones|regions)\/[^/']+'/.test(
        message,
      ),
    "Correct the zone: gcloud compute zones list shows all zones",
  ],
  [({ message }) => /'projects\/[^/']+'/.test(message), "Correct the project: use its id, not its name or number"],
  [({ status }) => status === 409, "Rerun: something else changed the resource at the same time"],
  [
    ({ status, grpc }) => status === 0 && (grpc === 14 || grpc === 4),
    "Check the connection to compute.googleapis.com: network, proxy and DNS",
  ],
  [({ status }) => status === 429 || status >= 500, "Rerun in a few minutes"],
];

/**
 * Converts an API error into a FurrowError with a hint. `what` describes the attempt: `create instance a in
 * europe-west3-a`.
 */
export function failureOf(what: string, error: ApiError, cause?: unknown): FurrowError {
  const hint = causes.find(([fits]) => fits(error))?.[1];
  return new FurrowError("E_DRIVER", {
    what: `cannot ${what} on Compute Engine`,
    current: [error.reason, firstLine(error.message)].filter((part) => part !== "").join(": "),
    hint: hint ?? "Fix the problem that the API reports",
    ...(cause !== undefined && { cause }),
  });
}

function firstLine(text: string): string {
  const [line = ""] = text.split("\n");
  return line.length > 400 ? `${line.slice(0, 400)}…` : line;
}
