import type { RunEvent } from "../../../core/events.ts";
import type { Json } from "../../../core/facts/fact.ts";
import type { Driver, DriverLookup } from "../../../core/host/driver.ts";
import { Statements } from "./statements.ts";
import { print, printJson, warn } from "../../terminal.ts";

/** The services whose permissions are known, by driver. */
const services = { ec2: "aws", gce: "google" } as const;

/** The note of a task whose calls are not known before the run. */
const unknownCalls = /^not known in advance: the calls depend on /;

/**
 * Collects the permissions that a planned run needs (`check --print-policy`): those for each query of the check, which
 * the run sends too, and those for each planned call. With this flag, the check does not test whether they are granted,
 * so it does not stop at the first missing one.
 */
export class Policy {
  readonly #aws = new Statements();
  /** The permissions in Google Cloud, by the project or resource on which they must be granted. */
  readonly #google = new Map<string, Set<string>>();
  /** The projects and resources for which something is planned. */
  readonly #changed = new Set<string>();
  readonly #open = new Set<string>();
  #isOver = false;

  /** Returns a lookup whose drivers record the permissions that their requests need. */
  recording(lookup: DriverLookup): DriverLookup {
    return async (name) => {
      const driver = await lookup(name);
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
    const isUndecided = outcome === "undecided" && task.service !== undefined;
    if (isUndecided || notes.some((note) => unknownCalls.test(note)))
      this.#open.add(`the API calls of ${task.title} are known only during the run`);
  }

  /**
   * The permissions that the run needs: an IAM policy for Amazon, and a list for each project, service account and key
   * in Google Cloud.
   */
  result(): { readonly complete: boolean; readonly aws?: object; readonly google?: object } {
    const Statement = this.#aws.list();
    // An image's own project needs no grant: the images that furrow launches from are public or shared.
    const projects = [...this.#google].filter(([project]) => this.#changed.size === 0 || this.#changed.has(project));
    return {
      complete: this.#isOver && this.#open.size === 0,
      ...(Statement.length > 0 && { aws: { Version: "2012-10-17", Statement } }),
      ...(projects.length > 0 && {
        google: Object.fromEntries(projects.map(([project, names]) => [project, [...names].toSorted()])),
      }),
    };
  }

  /** Prints the result after the report. Warns if the policy may be incomplete. */
  print(json: boolean): void {
    if (!this.#isOver) return;
    const { complete, aws, google } = this.result();
    for (const why of this.#open) warn(`the policy may lack permissions: ${why}`);
    if (json) return printJson({ type: "policy", complete, ...(aws && { aws }), ...(google && { google }) });
    if (aws === undefined && google === undefined) return warn("this run needs no permissions in EC2 or Google Cloud");
    if (aws !== undefined) print(`\nIAM policy for Amazon EC2:\n${JSON.stringify(aws, undefined, 2)}\n`);
    for (const [project, names] of Object.entries(google ?? {}))
      print(
        `\nPermissions ${project.includes("/") ? "on" : "in the Google Cloud project"} ${project}:\n${(names as string[]).join("\n")}\n`,
      );
  }
}
