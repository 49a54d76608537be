import { z } from "../../src/authoring.ts";

/** The parts of a spec that decide what Argo CD deploys, where and when. */
const deciding = /^spec\.(?:source|sources|sourceHydrator|destination|syncPolicy\.(?:automated|syncOptions))(?:\.|$)/;

/**
 * The fields of an Application's spec that the playbook does not set, and that change what its other fields mean:
 * Argo CD ignores `source` next to `sources`, and refuses a destination with a name and a server. Applying the
 * playbook's spec leaves them in place, because something else owns them.
 */
export function foreignFields(spec: unknown, wanted: unknown): string[] {
  return besides(spec, wanted, "spec").filter((path) => deciding.test(path));
}

const recordSchema = z.record(z.string(), z.unknown());

function besides(is: unknown, wanted: unknown, path: string): string[] {
  const own = recordSchema.safeParse(is);
  if (!own.success) return wanted === undefined && isSet(is, path) ? [path] : [];
  const parts = Object.entries(own.data);
  // Even an empty `automated` object makes Argo CD sync automatically.
  if (wanted === undefined && path.endsWith(".automated")) return [path];
  const other = recordSchema.safeParse(wanted).data ?? {};
  return parts.flatMap(([key, part]) => besides(part, other[key], `${path}.${key}`));
}

/** Argo CD treats an empty field as missing, except for `enabled`. */
function isSet(value: unknown, path: string): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (value === false) return path.endsWith(".enabled");
  return value !== undefined && value !== null && value !== "";
}
