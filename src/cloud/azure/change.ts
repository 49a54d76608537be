import { FurrowError } from "../../core/errors.ts";
import { absent } from "../../core/facts/symbols.ts";
import type { AzureKind, AzurePlace } from "../../facts/cloud/azure/index.ts";
import { pause, waitUntil } from "../wait.ts";
import { type Answer, type Api, ask, type Asked, follow, pauseOf, subscriptionOf } from "./api.ts";
import { AzureRefusal, failureOf, isMissing } from "./errors.ts";
import { calledOf, kinds, pathOf } from "./kinds.ts";
import { objectOf, propertiesOf, type Raw, textOf, withTags } from "./raw.ts";
import { resource, settled } from "./read.ts";

/** The time limit of an operation in seconds. */
const deadlineSeconds = 1800;

/** A change to a resource: the method, a path below the resource, and the body. */
export interface Change {
  readonly method: Exclude<Asked["method"], "GET">;
  readonly below?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly ifMatch?: string | undefined;
  /** Describes the change, phrased to follow "cannot". */
  readonly what: string;
}

/** Changes a resource, waits until Azure has finished, and returns the last response. Throws FurrowError. */
export async function change(
  api: Api,
  kind: AzureKind,
  place: AzurePlace,
  asked: Change,
  pass: (error: AzureRefusal) => boolean = () => false,
): Promise<Answer> {
  const { below, ...rest } = asked;
  const path = below === undefined ? pathOf(kind, place) : `${pathOf(kind, place)}/${below}`;
  const answer = await ask(api, { ...rest, path, version: kinds[kind].version }, pass);
  return operation(api, answer, asked.what);
}

/**
 * Waits for a long-running operation
 * (https://learn.microsoft.com/azure/azure-resource-manager/management/async-operations). Throws FurrowError E_DRIVER
 * with Azure's message if the operation fails.
 */
async function operation(api: Api, answer: Answer, what: string): Promise<Answer> {
  const status = answer.headers.get("azure-asyncoperation");
  const location = answer.status === 202 ? answer.headers.get("location") : undefined;
  const link = status ?? location;
  if (!link) return answer;
  let next = pauseOf(answer.headers) ?? 0;
  return waitUntil<Answer>(
    async () => {
      await pause(next, api.signal);
      const seen = await follow(api, link, what);
      next = pauseOf(seen.headers) ?? 0;
      const state = textOf(seen.body["status"]);
      if (status === null) return seen.status === 202 ? { meanwhile: "in progress" } : { done: seen };
      if (/^(failed|canceled)$/i.test(state)) throw failureOf(what, refusalIn(seen.body, state));
      return /^succeeded$/i.test(state) ? { done: seen } : { meanwhile: state || "in progress" };
    },
    {
      waitsFor: `Azure to ${what}`,
      deadlineSeconds,
      signal: api.signal,
      say: api.say,
      hint: "Rerun to wait longer for this operation, or check the activity log in the portal",
      // Azure's responses contain the time to wait.
      firstPauseMs: 50,
    },
  );
}

function refusalIn(body: Raw, state: string): AzureRefusal {
  const { code, message } = objectOf(body["error"]);
  return new AzureRefusal(
    400,
    textOf(code) || state,
    textOf(message) || `the operation ended with the status ${state}`,
  );
}

/**
 * Creates a resource, or sets all its properties. Throws FurrowError if the result is not as requested, and Azure's own
 * error 412 if the resource has changed since the version in `ifMatch`.
 */
export async function put(
  api: Api,
  kind: AzureKind,
  place: AzurePlace,
  body: object,
  verb = "create",
  ifMatch?: string,
): Promise<void> {
  const what = `${verb} the ${calledOf(kind, place)}`;
  await change(api, kind, place, { method: "PUT", body, ifMatch, what }, ifMatch === undefined ? undefined : isStale);
  const now = await settled(api, kind, place);
  const state = now === absent ? "missing" : textOf(propertiesOf(now)["provisioningState"]);
  if (state === "Succeeded" || (now !== absent && state === "")) return;
  throw new FurrowError("E_DRIVER", {
    what: `Azure did not ${what}`,
    current: `its provisioning state is ${state}`,
    expected: "Succeeded",
    hint: "Check the resource in the portal, then rerun",
  });
}

/** Whether Azure refuses a change because the resource has changed since it was read. */
export function isStale({ statusCode }: Pick<AzureRefusal, "statusCode">): boolean {
  return statusCode === 412;
}

/** Deletes a resource and waits until it is gone; one that does not exist counts as deleted. */
export async function remove(
  api: Api,
  kind: AzureKind,
  place: AzurePlace,
  query: Readonly<Record<string, string>> = {},
): Promise<void> {
  const what = `delete the ${calledOf(kind, place)}`;
  try {
    await change(api, kind, place, { method: "DELETE", query, what }, isMissing);
  } catch (error) {
    if (!isMissing(error as AzureRefusal)) throw error;
  }
  await untilGone(api, kind, place);
}

/** Waits until the API no longer shows a resource. */
export async function untilGone(api: Api, kind: AzureKind, place: AzurePlace): Promise<void> {
  await waitUntil(
    async () => ((await resource(api, kind, place)) === absent ? { done: true } : { meanwhile: "still there" }),
    {
      waitsFor: `the ${calledOf(kind, place)} to disappear`,
      deadlineSeconds,
      signal: api.signal,
      say: api.say,
      hint: "Check it in the portal, then rerun",
    },
  );
}

/** Adds tags to a resource; its other tags are kept. */
export async function addTags(
  api: Api,
  kind: AzureKind,
  place: AzurePlace,
  now: Raw,
  tags: Readonly<Record<string, string>>,
): Promise<void> {
  const body = { tags: withTags(now["tags"], tags) };
  await change(api, kind, place, { method: "PATCH", body, what: `tag the ${calledOf(kind, place)}` });
  await settled(api, kind, place);
}

/** The id of a resource, by which other resources refer to it. */
export function idOf(api: Api, kind: AzureKind, place: AzurePlace): string {
  return `/subscriptions/${subscriptionOf(api)}/${decodeURI(pathOf(kind, place))}`;
}
