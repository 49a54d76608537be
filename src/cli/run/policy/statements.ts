import type { Permission } from "../../../core/host/driver.ts";

/** A statement of an IAM policy: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements.html. */
interface Statement {
  readonly Effect: "Allow";
  readonly Action: readonly string[];
  readonly Resource: "*" | readonly string[];
  readonly Condition?: Permission["condition"];
}

/**
 * Collects the statements of an IAM policy. Permissions with the same condition share a statement, because an action
 * never applies to resources of the wrong type; permissions without a condition share one if they apply to the same
 * resources.
 */
export class Statements {
  readonly #found = new Map<
    string,
    { actions: Set<string>; resources: Set<string>; condition: Permission["condition"] }
  >();

  /** Adds a permission. A permission without resources applies to all resources. */
  add({ name, resources = ["*"], condition }: Permission): void {
    const key = JSON.stringify(condition ?? resources.toSorted());
    const known = this.#found.get(key) ?? { actions: new Set(), resources: new Set(), condition };
    known.actions.add(name);
    for (const one of resources) known.resources.add(one);
    this.#found.set(key, known);
  }

  /** The statements, sorted. */
  list(): readonly Statement[] {
    return [...this.#found]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { actions, resources, condition }]) => ({
        Effect: "Allow",
        Action: [...actions].toSorted(),
        Resource: resources.has("*") ? "*" : [...resources].toSorted(),
        ...(condition !== undefined && { Condition: condition }),
      }));
  }
}
