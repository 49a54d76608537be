import { dirname, resolve } from "node:path";
import { z } from "zod";
import { type Entry, issueText, wrong } from "./wrong.ts";

/** A program that provides a user's credential, as configured in a kubeconfig's `exec`. */
export interface Plugin {
  /** The program's path, or its name, which is looked up in PATH. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly apiVersion: string;
  /** The kubeconfig's hint for installing a missing program. */
  readonly installHint: string;
  /** The cluster information for the program; undefined if the program should not get any. */
  readonly cluster: Readonly<Record<string, unknown>> | undefined;
}

const group = "client.authentication.k8s.io";

const schema = z.looseObject({
  apiVersion: z.string(),
  command: z.string().min(1),
  args: z.array(z.string()).nullish(),
  env: z.array(z.looseObject({ name: z.string().min(1), value: z.string().default("") })).nullish(),
  installHint: z.string().nullish(),
  provideClusterInfo: z.boolean().nullish(),
  interactiveMode: z.enum(["", "Never", "IfAvailable", "Always"]).nullish(),
});

/**
 * Reads a user's `exec`. Throws FurrowError E_FILE if it is malformed, uses an unsupported API version, or needs a
 * terminal. `ca`: the certificates of the cluster's CA.
 */
export function pluginOf(user: Entry, cluster: Entry, ca: Buffer | undefined, file: string): Plugin {
  const result = schema.safeParse(user["exec"]);
  if (!result.success) throw wrong(file, issueText(result.error.issues[0], ["user", "exec"]));
  const { apiVersion, command, args, env, installHint, provideClusterInfo, interactiveMode: mode } = result.data;
  if (apiVersion !== `${group}/v1` && apiVersion !== `${group}/v1beta1`) {
    const hint = "Recreate the kubeconfig with a newer version of the tool that created it";
    throw wrong(
      file,
      `its user's exec has the apiVersion ${apiVersion}, but furrow supports only ${group}/v1 and v1beta1`,
      hint,
    );
  }
  if (mode === "Always") {
    const hint = "Choose a user whose program needs no input, or one with a certificate or a token";
    throw wrong(file, "its user's exec has interactiveMode Always, but furrow does not give programs a terminal", hint);
  }
  if (apiVersion.endsWith("/v1") && !mode) {
    throw wrong(file, "its user's exec has no interactiveMode, which v1 requires", "Add interactiveMode: Never");
  }
  return {
    command: command.includes("/") ? resolve(dirname(file), command) : command,
    args: args ?? [],
    env: env ?? [],
    apiVersion,
    installHint: installHint ?? "",
    cluster: provideClusterInfo === true ? clusterInfo(cluster, ca) : undefined,
  };
}

/** The cluster information for a program. A CA that is in a file is passed as data. */
function clusterInfo(cluster: Entry, ca: Buffer | undefined): Readonly<Record<string, unknown>> {
  const told = ["server", "tls-server-name", "insecure-skip-tls-verify", "proxy-url", "disable-compression"];
  const fields = told.flatMap((name) => (cluster[name] ? [[name, cluster[name]] as const] : []));
  const config = extensions.safeParse(cluster["extensions"]).data?.find(({ name }) => name === `${group}/exec`);
  return {
    ...Object.fromEntries(fields),
    ...(ca && { "certificate-authority-data": ca.toString("base64") }),
    ...(config !== undefined && { config: config.extension }),
  };
}

const extensions = z.array(z.looseObject({ name: z.string(), extension: z.unknown() }));

/** The environment variable that tells the program about the requested credential. */
export function execInfo({ apiVersion, cluster }: Plugin): string {
  const spec = { ...(cluster && { cluster }), interactive: false };
  return JSON.stringify({ kind: "ExecCredential", apiVersion, spec });
}
