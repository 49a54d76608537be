import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { z } from "zod";
import { certificateDigest } from "../core/host/certificate-digest.ts";
import type { Driver } from "../core/host/driver.ts";
import { type Absent, absent } from "../core/facts/symbols.ts";
import type { KubeconfigFile } from "../facts/controller/kubeconfig-file.ts";
import { readKubeconfig } from "./kubeconfig/kubeconfig.ts";

const requestSchema = z.strictObject({
  /** A relative path is resolved against furrow's working directory. */
  path: z.string().min(1),
  /** Asks about the known hosts next to the kubeconfig instead, or removes only these. */
  hostKeys: z.literal(true).optional(),
});

/**
 * Answers which cluster a kubeconfig on the controller is for. The answer never contains credentials. A call removes
 * the file and the known hosts next to it, or only these. Throws FurrowError E_FILE if the file is not a kubeconfig.
 */
export const kubeconfigFileDriver: Driver = {
  name: "kubeconfig",
  read: async (request): Promise<Absent | KubeconfigFile | { readonly kept: true }> => {
    const { path, hostKeys } = requestSchema.parse(request);
    if (hostKeys === true) return existsSync(resolve(`${path}.known_hosts`)) ? { kept: true } : absent;
    const access = await readKubeconfig(path);
    if (access === undefined) return absent;
    return {
      server: access.server,
      ca: certificateDigest(access.ca?.toString("latin1") ?? "") ?? "",
      ...(access.login && { program: access.login.command }),
    };
  },
  call: async (request) => {
    const { path: given, hostKeys } = requestSchema.parse(request);
    const path = resolve(given);
    // The host keys are removed first: if only they were left, a rerun would find nothing to remove.
    await rm(`${path}.known_hosts`, { force: true });
    if (hostKeys !== true) await rm(path, { force: true });
  },
};
