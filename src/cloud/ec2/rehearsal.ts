import { FurrowError, isFurrowError } from "../../core/errors.ts";
import type { Ec2Act } from "../../facts/cloud/ec2/index.ts";
import type { Ec2 } from "./client.ts";
import { codeOf, failureOf } from "./failures.ts";
import { MissingThing } from "./one.ts";
import { hasPlaceholder } from "./placeholder.ts";

/** Calls that change nothing and whose answers later calls need, so they are really made, even in a rehearsal. */
const looks = /^Describe/;

/** Errors that have nothing to do with the call itself: AWS is busy. The SDK has already retried the call. */
const passing = /^(RequestLimitExceeded|Throttling\w*|TooManyRequestsException|Internal\w+|(Service)?Unavailable)$/;

/** Errors about the current state of a resource, which an earlier step of the same run may change. */
const byState =
  /^(OperationNotPermitted|IncorrectState|IncorrectInstanceState|DependencyViolation|VolumeInUse|.*\.InUse)$/;

/**
 * Asks EC2 whether it would accept an action: performs the action, but with DryRun in every call that makes a change.
 * EC2 answers `DryRunOperation` if it would accept the call, and `UnauthorizedOperation` if the credentials do not
 * permit it (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RunInstances.html, DryRun). A dry run returns
 * no result, so the action ends at the first query after a change. Throws FurrowError E_REFUSED if EC2 would refuse a
 * call.
 *
 * A placeholder stands for the id of a resource that an earlier task creates. The documentation does not say whether
 * EC2 looks for the resource before it checks the permissions, and a policy may permit an action on certain resources
 * only. So any answer about a placeholder except `DryRunOperation` leaves open whether EC2 would accept the call.
 * Returns the reasons why this is unknown.
 */
export async function rehearse(
  ec2: Ec2,
  act: Ec2Act,
  perform: (ec2: Ec2, act: Ec2Act) => Promise<void>,
): Promise<string | undefined> {
  let ignored: string | undefined;
  let asked = false;
  const open: string[] = [];
  const send = async (command: Command, options: never): Promise<unknown> => {
    const action = command.constructor.name.replace(/Command$/, "");
    if (looks.test(action)) {
      if (asked) throw new RehearsalEnded();
      return ec2.client.send(command as never, options);
    }
    asked = true;
    // The token must stay unused, because the real call needs it.
    Object.assign(command.input, { DryRun: true, ClientToken: undefined });
    command.middlewareStack.add(onlyDry, { step: "build", name: "furrowOnlyDry" });
    try {
      await ec2.client.send(command as never, options);
    } catch (error) {
      const code = codeOf(error);
      if (error instanceof NoDryRun) open.push(`EC2 offers no dry run of ${action}`);
      else if (code !== "DryRunOperation") open.push(openAnswer(error, action, command.input));
      return {};
    }
    // A service that performs a read-only call has changed nothing.
    if (!action.startsWith("Get")) ignored = action;
    return {};
  };
  const client = new Proxy(ec2.client, {
    get: (target, key): unknown => (key === "send" ? send : Reflect.get(target, key)),
  });
  try {
    await perform({ ...ec2, client, dry: true }, act);
  } catch (error) {
    ec2.signal.throwIfAborted();
    open.push(...openQuestion(error, ec2));
  }
  if (ignored !== undefined) throw performed(ignored);
  return open.length === 0 ? undefined : open.join("; ");
}

/**
 * If the real call may still succeed despite an error from the dry run, returns a description of what remains unknown.
 * Otherwise throws the error.
 */
function openAnswer(error: unknown, action: string, input: object): string {
  const code = codeOf(error);
  const reason = laterReason(code);
  if (reason !== undefined) return reason;
  const isDenied = code === "UnauthorizedOperation";
  if (!hasPlaceholder(JSON.stringify(input))) throw isDenied ? denied(error, action) : error;
  const message = error instanceof Error ? error.message : "";
  if (isDenied) {
    return `EC2 does not permit ${missingIn(error, action)} on a resource that does not exist yet; it may permit this on the new resource if the policy names resources or tags`;
  }
  if (!code.endsWith(".NotFound") && !hasPlaceholder(message)) throw error;
  return `EC2 answers ${code} to ${action}, because a resource does not exist yet`;
}

/** The error for a service that performs a call despite DryRun; EC2 itself answers every such call with an error. */
function performed(action: string): FurrowError {
  return new FurrowError("E_DRIVER", {
    what: `the service performed ${action} although the call asked only for a dry run`,
    hint: "Use Amazon's own EC2 API: other services that offer the same API may ignore DryRun",
  });
}

/**
 * The reasons why EC2 cannot check the call yet, if the error says so. Throws the error if EC2 would refuse the action.
 */
function openQuestion(error: unknown, { region }: Ec2): readonly string[] {
  const cause = isFurrowError(error) ? error.failure.cause : error;
  if (cause instanceof RehearsalEnded) return [];
  if (cause instanceof MissingThing && isFurrowError(error)) return [`${error.message} yet`];
  const reason = laterReason(codeOf(error));
  if (reason !== undefined) return [reason];
  const failure = failureOf(error, "perform a planned call", region);
  throw failure.code === "E_REFUSED"
    ? failure
    : new FurrowError("E_REFUSED", { ...failure.failure, details: ["refused: not-accepted"] });
}

/** The reason why the call may succeed in the run despite an error; undefined if the call would fail then too. */
function laterReason(code: string): string | undefined {
  if (passing.test(code)) return "EC2 is busy";
  return byState.test(code) ? `not in its current state: ${code}` : undefined;
}

/**
 * The permission that the credentials lack. A call may need permission for several actions; EC2 may name the one that
 * is not permitted.
 */
function missingIn(error: unknown, action: string): string {
  const message = error instanceof Error ? error.message : "";
  return /not authorized to perform: (\w+:\w+)/.exec(message)?.[1] ?? `ec2:${action}`;
}

/** The error for a call that the credentials do not permit. */
function denied(error: unknown, action: string): FurrowError {
  const missing = missingIn(error, action);
  return new FurrowError("E_REFUSED", {
    what: `the credentials in use do not permit ${missing}`,
    current: `no permission ${missing}`,
    details: ["refused: not-permitted"],
    hint: `Ask an administrator of the account to allow ${missing}, or use other credentials`,
    cause: error,
  });
}

/** The parts of an SDK's command that a rehearsal uses. */
interface Command {
  readonly input: object;
  readonly middlewareStack: { add(middleware: typeof onlyDry, options: { step: "build"; name: string }): void };
}

/**
 * Stops a request that does not ask for a dry run. The SDK leaves DryRun out if the API does not have it for that call,
 * and EC2 would then perform the call
 * (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ModifySubnetAttribute.html).
 */
function onlyDry(next: (args: unknown) => Promise<unknown>) {
  return (args: unknown): Promise<unknown> => {
    const { body } = (args as { readonly request: { readonly body?: unknown } }).request;
    if (typeof body !== "string" || new URLSearchParams(body).get("DryRun") !== "true") throw new NoDryRun();
    return next(args);
  };
}

class NoDryRun extends Error {}

class RehearsalEnded extends Error {}
