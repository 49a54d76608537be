import { isFurrowError } from "../../../core/errors.ts";
import type { GceOsLogin } from "../../../facts/cloud/gce/index.ts";
import { ask } from "../ask.ts";

/** The OS Login settings in one set of metadata; undefined if not set. */
export interface OsLoginWords {
  readonly use: boolean | undefined;
  readonly secondFactor: boolean | undefined;
}

/** The settings in a project's metadata, or the reason why they cannot be read. */
export type ProjectWords = OsLoginWords | { readonly why: string };

/**
 * Returns the OS Login settings in metadata. The guest reads these keys as Go's strconv.ParseBool does, and ignores any
 * other value (https://github.com/GoogleCloudPlatform/guest-agent, metadata.go and oslogin.go).
 */
export function osLoginWords(metadata: unknown): OsLoginWords {
  const { items = [] } = (metadata ?? {}) as { items?: { key?: string; value?: string }[] | null };
  const valueOf = (key: string): boolean | undefined => {
    const value = items?.find((item) => item.key === key)?.value ?? "";
    if (/^(?:1|t|T|true|TRUE|True)$/.test(value)) return true;
    return /^(?:0|f|F|false|FALSE|False)$/.test(value) ? false : undefined;
  };
  return { use: valueOf("enable-oslogin"), secondFactor: valueOf("enable-oslogin-2fa") };
}

/** Reads the settings in a project's metadata; this needs the permission `compute.projects.get`. */
export async function projectWords(project: string, signal: AbortSignal): Promise<ProjectWords> {
  try {
    const what = `read the metadata of ${project}`;
    const answer = await ask({ client: "projects", method: "get", request: { project }, what }, signal);
    return osLoginWords((answer as { commonInstanceMetadata?: unknown }).commonInstanceMetadata);
  } catch (error) {
    signal.throwIfAborted();
    if (isFurrowError(error) && error.code === "E_DRIVER") return { why: error.failure.current ?? error.message };
    throw error;
  }
}

/**
 * Decides how the guest behaves: for each key, the instance's metadata overrides the project's, and the default is off.
 */
export function osLoginOf(
  instance: OsLoginWords,
  project: ProjectWords | undefined,
): Pick<GceOsLogin, "use" | "by" | "secondFactor" | "why"> {
  const known = project === undefined || "why" in project ? undefined : project;
  const why = project !== undefined && "why" in project ? project.why : "";
  const secondFactor = instance.secondFactor ?? known?.secondFactor ?? false;
  if (instance.use !== undefined) return { use: sayUse(instance.use), by: "instance", secondFactor, why };
  if (known === undefined) return { use: "unknown", by: "default", secondFactor, why };
  return known.use === undefined
    ? { use: "off", by: "default", secondFactor, why }
    : { use: sayUse(known.use), by: "project", secondFactor, why };
}

function sayUse(is: boolean): "on" | "off" {
  return is ? "on" : "off";
}
