import type { GcePlace } from "../../facts/cloud/gce/index.ts";
import { waitUntil } from "../wait.ts";
import { ask } from "./ask.ts";
import type { ClientName } from "./clients.ts";
import { type Collection, pathOf, scopeOf } from "./collections.ts";
import { failureOf } from "./errors.ts";

/** An operation of the API, as far as it is looked at (https://cloud.google.com/compute/docs/api/how-tos/api-requests-responses). */
interface Operation {
  readonly name?: string;
  readonly status?: string;
  readonly progress?: number;
  readonly httpErrorStatusCode?: number | null;
  readonly error?: { readonly errors?: readonly { readonly code?: string; readonly message?: string }[] } | null;
}

/** Operations of a collection are where its things are. */
function clientOf({ scope }: Collection): ClientName {
  return `${scope}_operations`;
}

/**
 * How many operations on a thing have ended, well or not. A request id made with it is the same until one more has:
 * a request that was cut off is taken up, and one that failed, or whose thing has been deleted since, is made anew. The
 * API remembers operations for longer than request ids.
 */
export async function generationOf(collection: Collection, place: GcePlace, signal: AbortSignal): Promise<number> {
  const found = await ask(
    {
      client: clientOf(collection),
      method: "list",
      // A filter with `eq` is a regular expression for the whole value.
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

/** What a change of the API answers: the operation, in an envelope of the client. */
export function operationOf(answer: unknown): Operation {
  const { latestResponse } = answer as { latestResponse?: Operation };
  return latestResponse ?? (answer as Operation);
}

/** Waits for an operation's end, told with `say`. Throws FurrowError E_DRIVER where it failed, E_WAIT after 15 minutes. */
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
        // Answers when the operation has ended, or after two minutes.
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
      hint: "Run this again: it takes up the operation that is under way",
    },
  );
  const [error] = done.error?.errors ?? [];
  if (error === undefined) return;
  const { code = "", message = "" } = error;
  throw failureOf(what, { status: done.httpErrorStatusCode ?? 0, grpc: 0, reason: code, message });
}
