import type { RunEvent } from "../../../core/events.ts";
import type { Json } from "../../../core/facts/fact.ts";
import type { Driver, DriverLookup } from "../../../core/host/driver.ts";
import { type AzureRole, Scopes } from "./scopes.ts";
import { Statements } from "./statements.ts";
import { print, printJson, warn } from "../../terminal.ts";

/** The services whose permissions are known, by driver. */
const services = { ec2: "aws", gce: "google", azure: "azure" } as const;

/** Services whose permissions furrow cannot print as a policy, by driver. */
const withoutPolicy: Readonly<Record<string, string>> = { digitalOcean: "DigitalOcean" };

/** The note for a task whose calls are not known before the run. */
const unknownCalls = /^not known in advance: the calls depend on /;

/**
 * Collects the permissions that a planned run needs (`check --print-policy`): those for each query that the check
 * sends, because the run sends it too, and those for each planned call. With this flag, the check does not test whether
 * they are granted, so it does not stop at the first missing one.
 */
export class Policy {
  readonly #aws = new Statements();
  /** The permissions in Google Cloud, by the project or resource on which they must be granted. */
  readonly #google = new Map<string, Set<string>>();
  readonly #azure = new Scopes();
  /** The projects and resources for which something is planned. */
  readonly #changed = new Set<string>();
  readonly #open = new Set<string>();
  /** The services that the run uses and for which there is no policy. */
  readonly #unavailable = new Set<string>();
  #isOver = false;

  /** Returns a lookup whose drivers record the permissions that their requests need. */
  recording(lookup: DriverLookup): DriverLookup {
    return async (name) => {
      const driver = await lookup(name);
      const unavailable = withoutPolicy[driver.name];
      if (unavailable !== undefined) this.#unavailable.add(unavailable);
      if (driver.permissions === undefined) return driver;
      return {
        ...driver,
        read: (request, signal) => {
          this.#record(driver, request, "read");
          return driver.read(request, signal);
        },
        rehearse: (request) => {
          this.#record(driver, request, "call");
          return Promise.resolve(undefined);
        },
      };
    };
  }

  #record(driver: Driver, request: Json, use: "read" | "call"): void {
    const service = services[driver.name as keyof typeof services];
    for (const permission of driver.permissions?.(request, use) ?? []) {
      if (service === "aws") {
        this.#aws.add(permission);
        continue;
      }
      if (service === "azure") {
        this.#azure.add(permission);
        continue;
      }
      const { name, project = "", on: place = project } = permission;
      this.#google.set(place, (this.#google.get(place) ?? new Set()).add(name));
      if (use === "call") this.#changed.add(place);
    }
  }

  /** Notes the tasks whose calls the check could not predict. */
  take(event: RunEvent): void {
    if (event.type === "runFinished") this.#isOver = true;
    if (event.type === "hostStopped") this.#open.add(`the check of ${event.host} did not finish`);
    if (event.type !== "taskFinished") return;
    const { outcome, notes, task } = event;
    if (task.service !== undefined && withoutPolicy[task.service] !== undefined) return;
    const isUndecided = outcome === "undecided" && task.service !== undefined;
    if (isUndecided || notes.some((note) => unknownCalls.test(note)))
      this.#open.add(`the API calls of ${task.title} are known only during the run`);
  }

  /**
   * The permissions that the run needs: an IAM policy for Amazon, a list for each project, service account and key in
   * Google Cloud, and a role for each subscription and resource group in Azure.
   */
  result(): {
    readonly complete: boolean;
    readonly aws?: object;
    readonly google?: object;
    readonly azure?: readonly AzureRole[];
  } {
    const Statement = this.#aws.list();
    const roles = this.#azure.roles();
    // An image's own project needs no grant: the images that furrow launches from are public or shared.
    const projects = [...this.#google].filter(([project]) => this.#changed.size === 0 || this.#changed.has(project));
    return {
      complete: this.#isOver && this.#open.size === 0 && this.#unavailable.size === 0,
      ...(Statement.length > 0 && { aws: { Version: "2012-10-17", Statement } }),
      ...(roles.length > 0 && { azure: roles }),
      ...(projects.length > 0 && {
        google: Object.fromEntries(projects.map(([project, names]) => [project, [...names].toSorted()])),
      }),
    };
  }

  /** Prints the result after the report. If the policy may be incomplete, its title and a warning after it say so. */
  print(json: boolean): void {
    if (!this.#isOver) return;
    const { aws, google, azure = [] } = this.result();
    const isEmpty = aws === undefined && google === undefined && azure.length === 0;
    // With --json, the policy is the last line.
    if (json) {
      this.#warn(isEmpty);
      return printJson({ type: "policy", ...this.result() });
    }
    if (isEmpty && this.#open.size === 0 && this.#unavailable.size === 0)
      return warn("this run needs no permissions in EC2, Google Cloud or Azure");
    this.#printParts();
    this.#warn(isEmpty);
  }

  #warn(isEmpty: boolean): void {
    for (const service of this.#unavailable)
      warn(
        `--print-policy is not available for ${service}; docs/guides/clouds.md lists the scopes that the token needs`,
      );
    // Without a policy, there is nothing to warn about.
    if (isEmpty && this.#unavailable.size > 0) return;
    for (const why of this.#open) warn(`the policy may lack permissions: ${why}`);
  }

  #printParts(): void {
    const { aws, google, azure = [] } = this.result();
    const title = (text: string): string =>
      this.#open.size === 0 ? `${text[0]?.toUpperCase() ?? ""}${text.slice(1)}` : `Incomplete ${text}`;
    if (aws !== undefined) print(`\n${title("IAM policy for Amazon EC2")}:\n${JSON.stringify(aws, undefined, 2)}\n`);
    for (const [project, names] of Object.entries(google ?? {}))
      print(
        `\n${title("permissions")} ${project.includes("/") ? "on" : "in the Google Cloud project"} ${project}:\n${(names as string[]).join("\n")}\n`,
      );
    for (const role of azure)
      print(
        `\n${title("custom role for Azure")}, to be assigned on ${role.AssignableScopes[0]}:\n${JSON.stringify(role, undefined, 2)}\n`,
      );
  }
}
