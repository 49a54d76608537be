import type { z } from "zod";
import { FurrowError } from "../../core/errors.ts";

/** An entry of a kubeconfig: a cluster, a user or a context. */
export type Entry = Readonly<Record<string, unknown>>;

/**
 * The error for a file that is not a usable kubeconfig. The error must not quote the file, which contains credentials.
 */
export function wrong(
  path: string,
  current: string,
  hint = "Use the kubeconfig of a cluster, or let the playbook fetch it again",
): FurrowError {
  return new FurrowError("E_FILE", { what: `${path} on the controller cannot be used as a kubeconfig`, current, hint });
}

/** Names a malformed field, without its value; `under`: the path of the entry that was parsed. */
export function issueText(issue: z.core.$ZodIssue | undefined, under: readonly string[] = []): string {
  const field = [...under, ...(issue?.path ?? [])].join(".");
  return `${field === "" ? "it" : `its ${field}`} is not valid in a kubeconfig: ${issue?.message ?? "wrong form"}`;
}

/** True if an entry sets a field: generators write empty values for unset ones. */
export function says(of: Entry, name: string): boolean {
  const value = of[name];
  if (value === undefined || value === null || value === "") return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}
