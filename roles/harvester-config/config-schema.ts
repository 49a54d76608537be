import { text, z } from "../../src/authoring.ts";
import { createPart, joinPart } from "./install-part.ts";
import { osPart } from "./os-part.ts";
import { spelled } from "./spelling.ts";
import { systemSettings } from "./system-settings.ts";

const token = text()
  .refine((value) => value !== "", "a token")
  .refine((value) => /^[\x20-\x7e«»]+$/.test(value), "printable ASCII characters");

const settings = z
  .record(
    z.string().refine((name) => systemSettings.has(name), {
      error: ({ input }) => `a Harvester setting, not "${String(input)}"`,
    }),
    text(),
  )
  .refine((value) => isJson(value["containerd-registry"]), {
    path: ["containerd-registry"],
    message: "a JSON object as text",
  });

const version = "the installer sets it itself, from the release";

/** Top-level keys that a configuration cannot contain, each with the reason. */
export const refusedKeys: Readonly<Record<string, string>> = {
  runtime_version: version,
  rancher_version: version,
  harvester_chart_version: version,
  monitoring_chart_version: version,
  logging_chart_version: version,
  kubeovn_chart_version: version,
};

const shared = {
  scheme_version: z.literal(1, "1"),
  token,
  sans: z.array(z.string().min(1)).optional().describe("Additional names for the certificate of the Kubernetes API"),
  os: osPart,
};

/** The configuration of a cluster's first node (Harvester docs, "Harvester Configuration", scheme version 1). */
export const createConfig = needsNameServers(
  spelled(
    {
      ...shared,
      server_url: z.literal("", "nothing, because the first node creates the cluster").optional(),
      install: createPart,
      system_settings: settings.optional(),
    },
    { refused: refusedKeys },
  ),
);

/** The configuration of a node that joins. */
export const joinConfig = needsNameServers(
  spelled(
    {
      ...shared,
      server_url: z.url("the URL of the cluster, like https://192.168.130.120:443"),
      install: joinPart,
    },
    { refused: { ...refusedKeys, system_settings: "only the first node sets them" } },
  ),
);

/**
 * A node's configuration as a user or a role writes it; the type knows which keys belong to `create` and which to
 * `join`.
 */
export type HarvesterConfigInput = z.input<typeof createConfig> | z.input<typeof joinConfig>;
/** One mistake that the installer would refuse. */
export interface ConfigProblem {
  /** The dotted path: `install.vip_mode`. */
  readonly path: string;
  /** A description of the value that is expected at this path. */
  readonly expected: string;
}

/**
 * Returns everything in a configuration that the installer would refuse, or would silently ignore, such as unknown
 * keys.
 */
export function problemsOfConfig(input: unknown): ConfigProblem[] {
  const mode = (input as { install?: { mode?: unknown } } | undefined)?.install?.mode;
  if (mode !== "create" && mode !== "join") return [{ path: "install.mode", expected: '"create" or "join"' }];
  const result = (mode === "create" ? createConfig : joinConfig).safeParse(input);
  return (result.error?.issues ?? []).map((issue) => ({
    path: issue.path.join("."),
    // For a key that is not allowed, zod's message only says so; the cause is one level deeper.
    expected: (issue.code === "invalid_key" ? issue.issues[0]?.message : undefined) ?? issue.message,
  }));
}

interface Addressed {
  readonly os: { readonly dns_nameservers?: readonly string[] | undefined };
  readonly install: { readonly management_interface: { readonly method: string } };
}

/** Requires name servers for static addresses, because there is no DHCP server to provide them. */
function needsNameServers<S extends z.ZodType<Addressed>>(schema: S): S {
  return schema.refine(
    ({ os, install }) => install.management_interface.method !== "static" || (os.dns_nameservers ?? []).length > 0,
    { path: ["os", "dns_nameservers"], message: "name servers, because the management network is static" },
  );
}

function isJson(value: string | undefined): boolean {
  if (value === undefined) return true;
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
  } catch {
    return false;
  }
}
