import { FurrowError, isFurrowError } from "../../core/errors.ts";

/** The parts of an SDK's error that furrow uses. */
interface AzureError {
  readonly name: string;
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
  /** The API's error code, such as `AuthorizationFailed`; may be empty. */
  readonly code: string;
  readonly message: string;
}

/** An error response from the API, with the API's own message. */
export class AzureRefusal extends Error {
  readonly statusCode: number;
  readonly code: string;

  constructor(statusCode: number, code: string, message: string) {
    super(message);
    this.statusCode = statusCode;
    this.code = code;
  }
}

/** The parts of a response that {@link refusals} reads. */
interface Answer {
  readonly status: number;
  readonly bodyAsText?: string | null;
}

/**
 * A part of the SDK's pipeline, outside its retries, that throws the API's error. The SDK itself replaces the API's
 * message for lists: "Pagination failed with unexpected statusCode 403".
 */
export const refusals = {
  name: "refusals",
  sendRequest: async <Q, A extends Answer>(request: Q, next: (request: Q) => Promise<A>): Promise<A> => {
    const answer = await next(request);
    if (answer.status < 400) return answer;
    const { error } = bodyOf(answer.bodyAsText ?? "");
    throw new AzureRefusal(answer.status, error?.code ?? "", error?.message ?? `HTTP status ${answer.status}`);
  },
};

function bodyOf(text: string): { readonly error?: { readonly code?: string; readonly message?: string } | null } {
  try {
    return (JSON.parse(text) ?? {}) as object;
  } catch {
    return {};
  }
}

/**
 * Whether an error means that a resource, or its group, does not exist. False for any other 404, such as the one for a
 * wrong subscription.
 */
export const isMissing = ({ statusCode, code }: Pick<AzureRefusal, "statusCode" | "code">): boolean =>
  statusCode === 404 && /^(ResourceNotFound|ResourceGroupNotFound|NotFound)$/.test(code);

/** Conditions that recognize errors, with hints on what to do; the first match is used. */
const causes: readonly (readonly [test: (error: AzureError) => boolean, hint: string])[] = [
  [
    ({ name, status }) =>
      status === 401 || /Credential|Authentication(Required)?Error$/.test(name) || name === "ChainedTokenCredential",
    "Log in with az login, or set AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET",
  ],
  [
    ({ code }) => /^(Invalid)?Subscription/.test(code),
    "Correct the subscription's id: az account list --output table lists the subscriptions of your login",
  ],
  [
    ({ code }) => /^(RequestDisallowedByPolicy|ScopeLocked|DenyAssignmentAuthorizationFailed)$/.test(code),
    "Ask the subscription's owner: a policy or a lock forbids this",
  ],
  [
    ({ status, message }) => status === 403 && /\/(write|delete|action)'/.test(message),
    "Give the account the role Contributor on the resource group, or on the subscription: az role assignment create",
  ],
  [
    ({ status }) => status === 403,
    "Give the account the role Reader on the subscription or the resource groups: az role assignment create",
  ],
  [({ code }) => code === "ResourceGroupNotFound", "Correct the resource group's name: az group list --output table"],
  [
    ({ code, message }) => code === "QuotaExceeded" || /quota/i.test(message),
    "Ask for a higher quota in the Azure portal under Quotas, or delete machines that you no longer need",
  ],
  [
    ({ code }) => /^(SkuNotAvailable|\w*Allocation(Failed|Request))$/.test(code),
    "Rerun later, or choose another zone, size or location: Azure has no capacity for this size there now",
  ],
  [
    ({ code }) => code === "MissingSubscriptionRegistration",
    "Register the resource provider: az provider register --namespace Microsoft.Compute, or Microsoft.Network",
  ],
  [({ status }) => status === 409, "Rerun: something else is changing the resource"],
  [({ status }) => status === 429 || status >= 500, "Rerun in a few minutes: https://azure.status.microsoft"],
  [({ status }) => status === 0, "Check the connection to management.azure.com: network, proxy and DNS"],
];

/** Converts what the SDK throws into a FurrowError with a hint. `what` describes the attempt: `list the machines`. */
export function failureOf(what: string, thrown: unknown): FurrowError {
  if (isFurrowError(thrown)) return thrown;
  const { name = "", statusCode, code, message } = thrown as Partial<Record<string, unknown>>;
  const error: AzureError = {
    name: String(name),
    status: typeof statusCode === "number" ? statusCode : 0,
    code: typeof code === "string" ? code : "",
    message: typeof message === "string" ? message : String(thrown),
  };
  const [line = ""] = error.message.split("\n");
  return new FurrowError("E_DRIVER", {
    what: `cannot ${what} in Azure`,
    current: [error.code, line.slice(0, 400)].filter((part) => part !== "").join(": "),
    hint: causes.find(([fits]) => fits(error))?.[1] ?? "Fix the problem that the API reports",
    cause: thrown,
  });
}
