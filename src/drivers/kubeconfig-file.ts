import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { z } from "zod";
import { FurrowError } from "../core/errors.ts";
import type { Driver } from "../core/host/driver.ts";
import { type Absent, absent } from "../core/facts/symbols.ts";
import { type KubeconfigFile, replacedKubeconfigHint } from "../facts/controller/kubeconfig-file.ts";
import { hostKeysPath } from "./kubeconfig/from-host.ts";
import { type Description, describeKubeconfig } from "./kubeconfig/kubeconfig.ts";
import { wrong } from "./kubeconfig/wrong.ts";

const reached = z.strictObject({ server: z.string().min(1), serverName: z.string().min(1) });

const requestSchema = z.strictObject({
  /** A relative path is resolved against furrow's working directory. */
  path: z.string().min(1),
  /** The request is about the known hosts next to the kubeconfig, not about the kubeconfig itself. */
  hostKeys: z.literal(true).optional(),
  /** The only server that a kubeconfig from a host may name. */
  reached: reached.optional(),
  /**
   * The cluster that the kubeconfig was for when the removal was decided; a kubeconfig for any other cluster is not
   * removed.
   */
  seen: z.strictObject({ server: z.string(), ca: z.string() }).optional(),
});

const acceptSchema = z.strictObject({
  /** A file that was just fetched from a host. */
  accept: z.string().min(1),
  path: z.string().min(1),
  reached,
});

/**
 * Reports which cluster a kubeconfig on the controller is for, and which parts of it are not allowed in a kubeconfig
 * from a host. The answer never contains credentials. A call removes the known hosts next to the file, either alone or
 * together with the file. Removing the file fails if it has changed. If the file was just fetched from a host, a call
 * renames it if it is a self-contained kubeconfig, and otherwise removes it. A call never replaces a kubeconfig for
 * another cluster. Throws FurrowError E_FILE if a file is not a kubeconfig, or is not accepted.
 */
export const kubeconfigFileDriver: Driver = {
  name: "kubeconfig",
  read: async (request): Promise<Absent | KubeconfigFile | { readonly kept: true }> => {
    const { path, hostKeys, reached: at } = requestSchema.parse(request);
    if (hostKeys === true) return existsSync(hostKeysPath(resolve(path))) ? { kept: true } : absent;
    const described = await describeKubeconfig(path, at);
    if (described === undefined) return absent;
    const { server, ca = "", foreign, others } = described;
    return { server, ca, ...(foreign !== undefined && { foreign }), ...(others.length > 0 && { others }) };
  },
  call: async (request) => {
    const accepted = acceptSchema.safeParse(request);
    if (accepted.success) return accept(accepted.data);
    const { path: given, hostKeys, seen } = requestSchema.parse(request);
    const path = resolve(given);
    if (hostKeys !== true) await refuseChanged(given, seen);
    // The host keys are removed first: if they were all that remained, a rerun would find nothing to remove.
    await rm(hostKeysPath(path), { force: true });
    if (hostKeys !== true) await rm(path, { force: true });
    return undefined;
  },
};

/** Throws if the kubeconfig is now for a different cluster than at the moment when its removal was decided. */
async function refuseChanged(path: string, seen: z.output<typeof requestSchema>["seen"]): Promise<void> {
  const now = await describeKubeconfig(path);
  if (now === undefined) return;
  if (now.server === seen?.server && (now.ca ?? "") === seen.ca && now.others.length === 0) return;
  const what = `${path} on the controller has changed, so it is not removed`;
  throw new FurrowError("E_FILE", { what, current: `a kubeconfig for ${now.server}`, hint: "Rerun" });
}

/** Throws if a fetched file would replace a kubeconfig for another cluster, or other contexts. */
async function refuseToReplace(path: string, { ca }: Description): Promise<void> {
  const there = await describeKubeconfig(path);
  if (there === undefined) return;
  const what = `${path} on the controller must not be replaced`;
  const hint = replacedKubeconfigHint;
  if (there.ca !== ca)
    throw new FurrowError("E_FILE", { what, current: `the kubeconfig for another cluster, at ${there.server}`, hint });
  if (there.others.length > 0)
    throw new FurrowError("E_FILE", {
      what,
      current: `a kubeconfig that also has other contexts (${there.others.join(", ")})`,
      hint,
    });
}

async function accept({ accept: fetched, path, reached: at }: z.output<typeof acceptSchema>): Promise<void> {
  try {
    const described = await describeKubeconfig(fetched, at);
    if (described === undefined) throw wrong(fetched, "it does not exist", "Rerun");
    if (described.foreign !== undefined) {
      const hint = `Find out who changed the kubeconfig on the host; ${path} is unchanged`;
      throw wrong(fetched, `it has ${described.foreign}, which is not allowed in a kubeconfig from a host`, hint);
    }
    await refuseToReplace(path, described);
    await rename(resolve(fetched), resolve(path));
  } finally {
    // A file that was not accepted must not stay where somebody could use it.
    await rm(resolve(fetched), { force: true });
  }
}
