import { isRecord } from "../../core/facts/symbols.ts";
import type { CallStep } from "../../core/host/step.ts";

/** A manager of a field, as the server records it. */
export interface KubeOwner {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
}

/** The managers that own a field of an object, such as `["spec", "runStrategy"]`. */
export function kubeOwners(object: unknown, field: readonly string[]): readonly KubeOwner[] {
  const metadata = isRecord(object) ? object["metadata"] : undefined;
  const entries: unknown = isRecord(metadata) ? metadata["managedFields"] : undefined;
  return (Array.isArray(entries) ? entries : []).flatMap((entry: unknown): KubeOwner[] => {
    if (!isRecord(entry) || !ownsField(entry["fieldsV1"], field)) return [];
    const { manager, operation, apiVersion, subresource = "" } = entry;
    return typeof manager === "string" &&
      typeof apiVersion === "string" &&
      subresource === "" &&
      (operation === "Apply" || operation === "Update")
      ? [{ manager, operation, apiVersion }]
      : [];
  });
}

/** True if a set in the server's notation FieldsV1 contains a field. */
export function ownsField(set: unknown, field: readonly string[]): boolean {
  const [first, ...rest] = field;
  if (first === undefined) return true;
  return isRecord(set) && Object.hasOwn(set, `f:${first}`) && ownsField(set[`f:${first}`], rest);
}

/**
 * A step that gives a field back to its earlier owners, after furrow has restored the field's value with a patch. It
 * does nothing if somebody else has changed the field since.
 */
export function kubeGiveBack(
  kubeconfig: string,
  path: string,
  label: string,
  field: readonly string[],
  owners: readonly KubeOwner[],
): CallStep {
  const giveBack = { path, field: [...field], owners: owners.map((owner) => ({ ...owner })) };
  return { step: "call", driver: "kubernetes", request: { of: { kubeconfig }, giveBack }, label };
}
