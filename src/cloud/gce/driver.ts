import { z } from "zod";
import { match } from "../../core/facts/compare.ts";
import type { Driver } from "../../core/host/driver.ts";
import type { Json } from "../../core/facts/fact.ts";
import { type Absent, absent } from "../../core/facts/symbols.ts";
import type { GcePlace, GceSubnetwork } from "../../facts/cloud/gce/index.ts";
import { launchUuid } from "../token.ts";
import { waitUntil } from "../wait.ts";
import { ask } from "./ask.ts";
import { type Collection, collections, sayThing, scopeOf, type Sort } from "./collections.ts";
import { apiError, isAbsent, isThere } from "./errors.ts";
import { generationOf, operationOf, waitForOperation } from "./operations.ts";
import { isListed, rangesOf } from "./ranges.ts";
import { changeOsLogin, isOsLogin, osLoginPermissions, readOsLogin } from "./os-login/questions.ts";
import { permissionsToChange, permissionsToRead } from "./permissions.ts";
import type { PlannedCall } from "./rehearsal/planned-call.ts";
import { rehearse } from "./rehearsal/rehearsal.ts";
import { instancesNamed, partsOf } from "./named.ts";
import { assertSeen } from "./own.ts";
import { machineTypesOf, readThing } from "./read.ts";
import { effectiveFirewalls, nats } from "./way.ts";

const place = {
  project: z.string().min(1),
  zone: z.string().optional(),
  region: z.string().optional(),
  name: z.string().min(1),
};

const sorts = Object.keys(collections) as Sort[];

const question = z.strictObject({
  get: z.enum([...sorts, "machineTypes", "instancesNamed", "partsOf", "ranges", "effectiveFirewalls", "nats"]),
  ...place,
  /** True if `name` is an image family. */
  family: z.boolean().optional(),
});

const change = z.strictObject({
  on: z.enum(sorts),
  ...place,
  method: z.string().optional(),
  fields: z.record(z.string(), z.json()),
  /** The resource that the task looked at. */
  seen: z.strictObject({ description: z.string(), id: z.string().optional() }).optional(),
  until: z.json(),
});

type Change = z.output<typeof change>;

/**
 * The time limit in seconds for a resource to reach the desired state after its operation has finished. Host keys, for
 * example, do not appear until the end of the boot.
 */
const settleSeconds = 600;

/**
 * Queries and changes Compute Engine with Google's own client. A change is one API method. Its request id is derived
 * from the resource, the data that is sent, and the number of finished operations on the resource. The driver waits for
 * the operation, and then for the state that the step asks for.
 */
export const gceDriver: Driver = {
  name: "gce",
  read: async (request, signal) => {
    if (isOsLogin(request)) return readOsLogin(request, signal);
    const { get, family = false, ...where } = question.parse(request);
    const asked = where as GcePlace;
    if (get === "machineTypes") return machineTypesOf(asked, signal);
    if (get === "instancesNamed") return instancesNamed(asked, signal);
    if (get === "partsOf") return partsOf(asked, signal);
    if (get === "effectiveFirewalls") return effectiveFirewalls(asked, signal);
    if (get === "nats") return nats(asked, signal);
    return get === "ranges" ? rangesOf(asked, signal) : readThing(get, asked, family, signal);
  },
  call: async (request, signal, say) => {
    if (isOsLogin(request)) return changeOsLogin(request, signal);
    const wanted = change.parse(request);
    const { on, until, method } = wanted;
    const thing = wanted as unknown as GcePlace;
    if (method !== undefined) await assertSeen(wanted, thing, signal);
    if (method !== undefined) await perform(wanted, method, thing, signal, say);
    await waitUntil(
      async () => {
        const now = await readThing(on, thing, false, signal);
        if (match(now, until === "absent" ? absent : until) !== "same") return { meanwhile: stateOf(now, until) };
        if (on === "subnetwork" && !(await isListed(thing, now as GceSubnetwork | Absent, signal))) {
          return { meanwhile: "the list of subnetworks does not show the change yet" };
        }
        return { done: true };
      },
      {
        waitsFor: `${sayThing(on, thing)} to be ${describe(until)}`,
        deadlineSeconds: settleSeconds,
        signal,
        say,
        hint: "Check the resource in the console, then rerun",
      },
    );
    return undefined;
  },
  rehearse: async (request, signal, earlier) => {
    const call = isOsLogin(request) ? undefined : plannedCall(request);
    return call === undefined
      ? undefined
      : rehearse(
          call,
          earlier.flatMap((one) => (isOsLogin(one) ? [] : (plannedCall(one) ?? []))),
          signal,
        );
  },
  permissions: (request, use) => {
    if (isOsLogin(request)) return osLoginPermissions(request);
    if (use === "call") {
      const wanted = change.parse(request);
      return permissionsToChange(wanted.on, wanted.project, plannedCall(request));
    }
    const { get, family = false, project } = question.parse(request);
    return permissionsToRead(get, family).map((name) => ({ name, project }));
  },
};

/** The planned API call in a request; undefined if the request only waits. */
function plannedCall(request: Json): PlannedCall | undefined {
  const { on, method, fields, project, zone, region, name } = change.parse(request);
  const place = {
    project,
    ...(zone !== undefined && { zone }),
    ...(region !== undefined && { region }),
    name,
  };
  return method === undefined ? undefined : { on, method, fields, place };
}

async function perform(
  { on, fields }: Change,
  method: string,
  thing: GcePlace,
  signal: AbortSignal,
  say?: (text: string) => void,
): Promise<void> {
  const collection: Collection = collections[on];
  const { project, zone, region, name } = thing;
  const requestId = launchUuid({
    sort: `${on} ${method}`,
    place: [project, zone ?? region].join(" "),
    name,
    params: fields,
    generation: await generationOf(collection, thing, signal),
  });
  const what = `${method} ${sayThing(on, thing)}`;
  // For disks and addresses, the method setLabels expects the name in the field `resource`.
  const request = {
    ...scopeOf(collection, thing),
    ...(method !== "insert" && { [collection.item]: name, resource: name }),
    ...fields,
    requestId,
  };
  // An interrupted run may have made this change since the task read the resource; the engine verifies the result.
  const isDone = (error: unknown): boolean =>
    (method === "delete" && isAbsent(apiError(error), `${collection.path}/${name}`)) ||
    (method === "insert" && isThere(apiError(error)));
  try {
    const answer = await ask({ client: collection.client, method, request, what }, signal, isDone);
    await waitForOperation(collection, thing, operationOf(answer), what, signal, say);
  } catch (error) {
    if (!isDone(error)) throw error;
  }
}

function stateOf(now: unknown, until: Json): string {
  if (now === absent) return "not there";
  const { status } = now as { status?: string };
  return until === "absent" ? `still there${status === undefined ? "" : `, ${status}`}` : (status ?? "not yet");
}

function describe(until: Json): string {
  if (until === "absent") return "gone";
  return Object.entries(until as object)
    .map(([key, value]) => `${key} ${JSON.stringify(value)}`)
    .join(", ");
}
