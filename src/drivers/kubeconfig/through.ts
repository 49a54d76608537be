import { z } from "zod";
import { isRecord } from "../../core/facts/symbols.ts";
import { type Entry, issueText, says, wrong } from "./wrong.ts";

/** The extension of a kubeconfig's cluster that configures how furrow reaches it. */
const extensionName = "furrow";

const schema = z.strictObject({ through: z.string().min(1) });

/**
 * The inventory host whose SSH connection leads to a cluster's API, as given in the cluster's `furrow` extension:
 * `extensions: [{ name: furrow, extension: { through: HOST } }]`. Kubernetes' own clients ignore extensions that they
 * do not know. Throws FurrowError E_FILE.
 */
export function throughOf(cluster: Entry, file: string): string | undefined {
  const { extensions } = cluster;
  if (!Array.isArray(extensions)) return undefined;
  const own = extensions.filter(isRecord).find(({ name }) => name === extensionName);
  if (own === undefined) return undefined;
  const result = schema.safeParse(own["extension"]);
  if (!result.success) throw wrong(file, issueText(result.error.issues[0], ["extensions", extensionName]));
  if (says(cluster, "proxy-url")) throw wrong(file, "its cluster has a proxy-url and is reached through a host", hint);
  return result.data.through;
}

const hint = "Remove proxy-url or the furrow extension";
