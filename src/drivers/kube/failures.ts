import { z } from "zod";
import { FurrowError } from "../../core/errors.ts";
import type { KubeProblem } from "../../facts/controller/kube-object.ts";
import { type ApiAnswer, messageOf, parsed } from "../kubernetes-exchange.ts";
import { withoutValues } from "../api-message/without-values.ts";

const cause = z.looseObject({
  reason: z.string().default(""),
  message: z.string().default(""),
  field: z.string().default(""),
});

/** A Status object, in which the API explains an error. */
const statusSchema = z.looseObject({
  kind: z.literal("Status"),
  reason: z.string().default(""),
  message: z.string().default("").transform(withoutValues),
  details: z
    .looseObject({ name: z.string().default(""), kind: z.string().default(""), causes: z.array(cause).default([]) })
    .default({ name: "", kind: "", causes: [] }),
});

/** The Status in a response; undefined if the response is something else, such as a proxy's page. */
export function statusOf({ body }: ApiAnswer): z.output<typeof statusSchema> | undefined {
  return statusSchema.safeParse(parsed(body)).data;
}

/** True if the API reports that no object has this name. Any other 404 proves nothing about the object. */
export function isNotFound(answer: ApiAnswer, name: string): boolean {
  if (answer.status !== 404) return false;
  const status = statusOf(answer);
  return status?.reason === "NotFound" && status.details.name === name;
}

/** A transient failure: the server is starting, too busy, or unreachable. */
export class NotNow extends FurrowError {}

/** A failure because the user lacks a permission. */
export class Forbidden extends FurrowError {}

/** The server no longer serves an object's kind, although it did a moment ago. */
export class KindGone extends FurrowError {}

/** Returns the failure if it is transient, so the wait continues. Throws any other error. */
export function notNow(error: unknown): NotNow {
  if (error instanceof NotNow) return error;
  throw error;
}

/** Describes why something currently cannot be read. */
export function unseen({ failure }: NotNow): string {
  return `cannot be read: ${failure.current ?? failure.what}`;
}

/** The failure of a request that was refused or got no response. */
export function failureOf(
  doing: string,
  server: string,
  error: ApiAnswer | { readonly code: string; readonly message: string },
): FurrowError {
  const code = "status" in error ? `HTTP ${error.status}` : error.code;
  const message = "status" in error ? refusalIn(error) : error.message;
  const Failed = classes.find(([pattern]) => pattern.test(code))?.[1] ?? FurrowError;
  return new Failed("E_DRIVER", {
    what: `cannot ${doing} on ${server}`,
    current: code.startsWith("HTTP ") ? `${code}: ${message}` : message,
    hint: hintOf(code),
    ...(lasting.test(code) && { isLasting: true }),
  });
}

/** What to do about a failure. @param code `HTTP 403`, or Node's error code */
export function hintOf(code: string): string {
  return hints.find(([pattern]) => pattern.test(code))?.[1] ?? "Read the server's message, fix the cause and rerun";
}

/** Why the server refused a request. A success has no such reason: its body is an object, and may contain secrets. */
function refusalIn({ status, body }: ApiAnswer): string {
  return status < 300 ? "the response does not contain the requested object" : messageOf(body);
}

/** Transient failures, by HTTP status or by Node's error code. */
const passing =
  /^(HTTP (429|500|502|503|504)|timeout|cut-short|half-served|login-again|proxy-now|host-now|EAI_AGAIN|ECONN\w+|EHOST\w+|ENET\w+|EPIPE|ETIMEDOUT)$/;

/** The failures that callers distinguish, by HTTP status or by code. */
const classes: readonly (readonly [RegExp, typeof FurrowError])[] = [
  [passing, NotNow],
  [/^HTTP 403$/, Forbidden],
  [/^kind-gone$/, KindGone],
];

/** Failures that someone must fix, such as missing permissions or invalid certificates. */
const lasting = /^HTTP 40[013]$|CERT|SIGNATURE|ISSUER/;

/** What to do, by HTTP status or by Node's error code. */
const hints: readonly (readonly [RegExp, string])[] = [
  [/^HTTP 401$/, "Renew the credentials in the kubeconfig: the server does not accept them"],
  [/^HTTP 403$/, "Use the kubeconfig of a user who has this permission, or ask an administrator of the cluster for it"],
  [/^HTTP 404$/, "Check the server's address in the kubeconfig: the server does not answer like a Kubernetes API"],
  [/^HTTP (429|503)$/, "Rerun in a few minutes: the server is too busy"],
  [/^login/, "Run a kubectl command with this kubeconfig, and fix the problem that it reports; then rerun"],
  [/^proxy/, "Correct the proxy-url in the kubeconfig, or allow the proxy to connect to the server"],
  [
    /^host|^E_/,
    "Run furrow ping for the host, and make sure that it can connect to the server; or correct the extension in the kubeconfig",
  ],
  [/^HTTP 5/, "Read the server's log: the server failed while it was handling the request"],
  [/^(ENOTFOUND|EAI_AGAIN)$/, "Correct the server's address in the kubeconfig: its name does not resolve"],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, "Correct the server's address: its certificate is for a different name"],
  [/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/, "Renew the server's certificate, or correct this machine's clock"],
  [
    /CERT|SIGNATURE|ISSUER/,
    "Use the kubeconfig for this cluster: the server's certificate is not from this kubeconfig's CA",
  ],
  [/^(E|timeout$)/, "Check that the cluster is running and that this machine can reach it"],
];

/**
 * Why the server refuses a change in a dry run; undefined if its response is not a refusal. `valuesOf` returns the
 * values of a field in conflict, as text for the message.
 */
export function problemOf(
  answer: ApiAnswer,
  name: string,
  valuesOf: (field: string) => string = () => "",
): KubeProblem | undefined {
  const status = statusOf(answer);
  if (status === undefined) return undefined;
  const { reason, message, details } = status;
  const conflicts = details.causes.filter((one) => one.reason === "FieldManagerConflict");
  if (answer.status === 409 && conflicts.length > 0) {
    return {
      code: "field-conflict",
      message: `other managers own fields of ${name}: ${conflicts.map((one) => `${conflictText(one)}${valuesOf(one.field)}`).join("; ")}`,
      hint: "Leave these fields out of the object, or take them over: with force: true in the task, or with --var force=true if the playbook has this var",
    };
  }
  if (answer.status === 403) {
    const ending = details.causes.some((one) => one.reason === "NamespaceTerminating");
    return ending
      ? { code: "namespace-ends", message, hint: "Rerun once the namespace has been deleted, or use another namespace" }
      : { code: "forbidden", message, hint: "Use the kubeconfig of a user who has this permission" };
  }
  // Before Kubernetes 1.22, a server returns 500 for a field that is not in the schema.
  const isInvalid =
    answer.status === 422 ||
    answer.status === 400 ||
    /field not declared in schema|failed to create typed|unable to convert unstructured object/.test(message);
  if (isInvalid && /field is immutable|may not be changed|updates to .* are forbidden/i.test(message)) {
    return {
      code: "immutable-field",
      message: `${name} cannot be changed in this way: ${message}`,
      hint: name.startsWith("StorageClass ")
        ? "Give the field its old value, or create a storage class with another name: the API does not let this field of an existing storage class change"
        : "Give the field its old value; or delete the object in an earlier task if its contents are not needed",
    };
  }
  if (isInvalid)
    return { code: "invalid-object", message: `${name} is not valid: ${message}`, hint: "Correct the object" };
  if (answer.status === 409 || answer.status === 405) {
    return {
      code: "refused-by-server",
      message: `${reason}: ${message}`,
      hint: "Fix the problem that the server reports",
    };
  }
  return undefined;
}

/**
 * Why a webhook of the cluster denies a change; undefined if the response says something else. The API puts these words
 * before the webhook's own (k8s.io/apiserver, admission/plugin/webhook/errors/statuserror.go).
 */
export function denialOf(answer: ApiAnswer, name: string): KubeProblem | undefined {
  const { message = "" } = statusOf(answer) ?? {};
  const [, webhook, why] =
    /^admission webhook "(.+?)" denied the request(?:: (.*)| without explanation)$/s.exec(message) ?? [];
  if (webhook === undefined) return undefined;
  return {
    code: "denied",
    message: `the cluster denies the change to ${name}: ${why ?? "it gave no reason"} (webhook ${webhook})`,
    hint: "Fix the problem that the cluster reports, then rerun",
  };
}

/** True if the API cannot check a change in advance, because a webhook of the cluster does not support dry runs. */
export function isUnasked({ status, body }: ApiAnswer): boolean {
  return status === 400 && /does not support dry ?run/i.test(messageOf(body));
}

/** `data.a is owned by kubectl (Update)`; the API writes `conflict with "kubectl" using v1 at …` and `.data.a`. */
function conflictText({ message, field }: z.output<typeof cause>): string {
  const [, manager = message] = /^conflict with "(.*?)"(?: |$)/.exec(message) ?? [];
  return `${field.replace(/^\./, "")} is owned by ${manager}`;
}
