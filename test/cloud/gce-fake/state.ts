/** A resource of the fake cloud, with the API's own field names. */
export interface Resource {
  [field: string]: unknown;
  name: string;
}

/** Operations as in https://cloud.google.com/compute/docs/reference/rest/v1/zoneOperations. */
export interface Operation extends Resource {
  status: "PENDING" | "RUNNING" | "DONE";
  operationType: string;
  targetLink: string;
  error?: { errors: { code: string; message: string }[] };
}

/** An error in the API's form (https://cloud.google.com/compute/docs/troubleshooting/troubleshooting-api-errors). */
export class ApiFailure extends Error {
  readonly status: number;
  readonly reason: string;

  constructor(status: number, reason: string, message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/** The effect of an operation when it ends; an error makes the operation fail. */
export type Effect = () => void | { readonly code: string; readonly message: string };

const self = "https://www.googleapis.com/compute/v1/";

/**
 * The resources and operations of a project. Time is the number of calls so far. An operation takes two calls, so it
 * ends even if the client does not wait.
 */
export class CloudState {
  readonly things = new Map<string, Resource>();
  readonly operations: Operation[] = [];
  readonly #due: { readonly at: number; readonly operation: Operation; readonly effect: Effect }[] = [];
  readonly #byRequest = new Map<string, Operation>();
  #list: object | undefined;
  #lists = 0;
  #now = 0;
  #serial = 0;

  /** Advances time by one call and applies the effects that are due. */
  tick(): void {
    this.#now += 1;
    for (const entry of this.#due.filter(({ at }) => at <= this.#now)) {
      this.#due.splice(this.#due.indexOf(entry), 1);
      const failed = entry.effect();
      entry.operation.status = "DONE";
      entry.operation["progress"] = 100;
      if (failed) entry.operation.error = { errors: [{ ...failed }] };
    }
  }

  /** Schedules a change that takes effect after a number of calls, and is not an API operation. */
  later(calls: number, act: () => void): void {
    this.#due.push({ at: this.#now + calls, operation: {} as Operation, effect: act });
  }

  /** A list as it was before the last change, for a number of calls. */
  lagging(now: object, calls: number): object {
    const isOld = this.#list !== undefined && JSON.stringify(this.#list) !== JSON.stringify(now);
    if (isOld && this.#lists < calls) {
      this.#lists += 1;
      return this.#list ?? now;
    }
    this.#list = now;
    this.#lists = 0;
    return now;
  }

  number(): number {
    return (this.#serial += 1);
  }

  get(path: string): Resource {
    const found = this.things.get(path);
    if (found !== undefined) return found;
    throw new ApiFailure(404, "notFound", `The resource '${path}' was not found`);
  }

  /** Stores a resource at its path, with the fields that the API adds to every resource. */
  put(path: string, thing: Resource): Resource {
    const made = { ...thing, id: String(4_000_000_000_000_000_000n + BigInt(this.number())), selfLink: self + path };
    this.things.set(path, made);
    return made;
  }

  /**
   * Begins an operation on a resource, or returns the operation that an earlier request with the same id began: "if you
   * make the request again with the same request ID, the server … will ignore the second request"
   * (https://cloud.google.com/compute/docs/reference/rest/v1/instances/insert), even if the resource has been deleted
   * since.
   */
  operate(target: string, type: string, requestId: string | null, begin: () => Effect): Operation {
    const known = requestId === null ? undefined : this.#byRequest.get(requestId);
    if (known !== undefined) return known;
    const effect = begin();
    const operation: Operation = {
      name: `operation-${this.number()}`,
      status: "PENDING",
      progress: 0,
      operationType: type,
      targetLink: self + target,
    };
    this.operations.push(operation);
    if (requestId !== null) this.#byRequest.set(requestId, operation);
    this.#due.push({ at: this.#now + 3, operation, effect });
    return operation;
  }
}

/** The path in a link, starting with `projects/`. */
export const bare = (link: unknown): string => String(link).replace(/^.*?(?=projects\/)/, "");

/** https://cloud.google.com/compute/docs/troubleshooting/troubleshooting-deleting-resources */
export function inUse(what: string, path: string, by: string): ApiFailure {
  const message = `The ${what} resource '${path}' is already being used by '${bare(by)}'`;
  return new ApiFailure(400, "resourceInUseByAnotherResource", message);
}

/** The error for a field that names something that does not exist. */
export function invalid(field: string, value: string): ApiFailure {
  const message = `Invalid value for field 'resource.${field}': '${value}'. The referenced resource does not exist.`;
  return new ApiFailure(400, "invalid", message);
}

/** Changes fields of a resource, if it still exists. */
export function set(state: CloudState, path: string, fields: object): void {
  const thing = state.things.get(path);
  if (thing !== undefined) Object.assign(thing, fields);
}

/** Creates a new fingerprint, which the next change must include. */
export function print(state: CloudState): string {
  return Buffer.from(`f${state.number()}`).toString("base64");
}
