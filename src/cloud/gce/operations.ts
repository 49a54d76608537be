import type { GcePlace } from "../../facts/cloud/gce/index.ts";
import { waitUntil } from "../wait.ts";
import { ask } from "./ask.ts";
import type { ClientName } from "./clients.ts";
import { type Collection, pathOf, scopeOf } from "./collections.ts";
import { failureOf } from "./errors.ts";

/**
 * An API operation, with the fields that furrow uses
 * (https://cloud.google.com/compute/docs/api/how-tos/api-requests-responses).
 */
interface Operation {
  readonly name?: string;
  readonly status?: string;
  readonly progress?: number;
  readonly httpErrorStatusCode?: number | null;
  readonly error?: { readonly errors?: readonly { readonly code?: string; readonly message?: string }[] } | null;
}

/** The client for the operations on a collection, which have the same scope as the collection's resources. */
function clientOf({ scope }: Collection): ClientName {
  return `${scope}_operations`;
}

/**
 * Counts the finished operations on a resource, whether or not they succeeded. A request id that contains this number
 * stays the same until another operation finishes. As a result, an interrupted request is resumed, but a request that
 * failed, or whose resource has since been deleted, is made again. The API remembers operations for longer than request
 * ids.
 */
export async function generationOf(collection: Collection, place: GcePlace, signal: AbortSignal): Promise<number> {
  const found = await ask(
    {
      client: clientOf(collection),
      method: "list",
      // A filter with `eq` is a regular expression that must match the whole value.
      request: {
        ...scopeOf(collection, place),
        filter: `targetLink eq ".*/${pathOf(collection, place)}"`,
        maxResults: 500,
      },
      what: `list the operations on ${place.name}`,
    },
    signal,
  );
  return (found as readonly Operation[]).filter(({ status }) => status === "DONE").length;
}

/** Extracts the operation from the API's answer to a change; the client may wrap it. */
export function operationOf(answer: unknown): Operation {
  const { latestResponse } = answer as { latestResponse?: Operation };
  return latestResponse ?? (answer as Operation);
}

/**
 * Waits for an operation to finish, and reports its progress with `say`. Throws FurrowError E_DRIVER if the operation
 * failed, and E_WAIT after 15 minutes.
 */
export async function waitForOperation(
  collection: Collection,
  place: GcePlace,
  started: Operation,
  what: string,
  signal: AbortSignal,
  say?: (text: string) => void,
): Promise<void> {
  let operation = started;
  const name = started.name ?? "";
  const done = await waitUntil<Operation>(
    async () => {
      if (operation.status !== "DONE") {
        // This call returns when the operation has finished, or after two minutes.
        const request = { ...scopeOf(collection, place), operation: name };
        const answer = await ask({ client: clientOf(collection), method: "wait", request, what }, signal);
        operation = operationOf(answer);
      }
      if (operation.status === "DONE") return { done: operation };
      return { meanwhile: `${operation.status ?? "PENDING"} ${operation.progress ?? 0} %` };
    },
    {
      waitsFor: `Compute Engine to ${what}`,
      deadlineSeconds: 900,
      signal,
      say,
      hint: "Rerun: the next run resumes waiting for the same operation",
    },
  );
  const [error] = done.error?.errors ?? [];
  if (error === undefined) return;
  const { code = "", message = "" } = error;
  throw failureOf(what, { status: done.httpErrorStatusCode ?? 0, grpc: 0, reason: code, message });
}
