import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { FurrowError } from "../core/errors.ts";

/** The server and credentials in a kubeconfig's current context. */
export interface ClusterAccess {
  readonly server: string;
  readonly ca?: Buffer;
  /** The name that the server's certificate must contain, if that differs from the server's address. */
  readonly serverName?: string;
  readonly insecure: boolean;
  readonly cert?: Buffer;
  readonly key?: Buffer;
  readonly token?: string;
}

const named = <T extends z.ZodType>(name: string, inner: T) => z.looseObject({ name: z.string(), [name]: inner });

const schema = z.looseObject({
  "current-context": z.string(),
  contexts: z.array(named("context", z.looseObject({ cluster: z.string(), user: z.string() }))),
  clusters: z.array(
    named(
      "cluster",
      z.looseObject({
        server: z.url(),
        "certificate-authority": z.string().optional(),
        "certificate-authority-data": z.string().optional(),
        "tls-server-name": z.string().optional(),
        "insecure-skip-tls-verify": z.boolean().optional(),
      }),
    ),
  ),
  users: z.array(
    named(
      "user",
      z.looseObject({
        "client-certificate": z.string().optional(),
        "client-certificate-data": z.string().optional(),
        "client-key": z.string().optional(),
        "client-key-data": z.string().optional(),
        token: z.string().optional(),
      }),
    ),
  ),
});

/**
 * Reads a context of a kubeconfig, by default its current one; undefined if the file does not exist. Throws FurrowError
 * E_FILE if it is not a kubeconfig, has no such context, or needs a program to log in.
 */
export async function readKubeconfig(path: string, wanted?: string): Promise<ClusterAccess | undefined> {
  const file = resolve(path);
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw wrong(file, message);
  });
  if (text === undefined) return undefined;
  const result = schema.safeParse(parse(text, { logLevel: "error" }));
  if (!result.success) throw wrong(file, result.error.issues[0]?.message ?? "not in the format of a kubeconfig");
  const { contexts, clusters, users, "current-context": own } = result.data;
  const current = wanted ?? own;
  if (wanted !== undefined && !contexts.some(({ name }) => name === wanted)) {
    const names = contexts.map((one) => one["name"] as string).join(", ");
    throw wrong(file, `it has no context ${wanted}, only ${names}`);
  }
  const context = contexts.find(({ name }) => name === current)?.["context"] as { cluster: string; user: string };
  const cluster = clusters.find(({ name }) => name === context?.cluster)?.["cluster"] as Entry | undefined;
  const user = users.find(({ name }) => name === context?.user)?.["user"] as Entry | undefined;
  if (cluster === undefined || user === undefined) throw wrong(file, `its context ${current} is incomplete`);
  for (const way of ["exec", "auth-provider"]) {
    if (user[way] !== undefined) throw wrong(file, `its user logs in through ${way}, which furrow does not support`);
  }
  const [ca, cert, key] = await Promise.all([
    part(cluster, "certificate-authority", file),
    part(user, "client-certificate", file),
    part(user, "client-key", file),
  ]);
  return {
    server: String(cluster["server"]).replace(/\/$/, ""),
    insecure: cluster["insecure-skip-tls-verify"] === true,
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
    ...(typeof cluster["tls-server-name"] === "string" && { serverName: cluster["tls-server-name"] }),
    ...(typeof user["token"] === "string" && { token: user["token"] }),
  };
}

type Entry = Readonly<Record<string, unknown>>;

/** Reads data that the kubeconfig contains in base64 or that is in a separate file. */
async function part(of: Entry, name: string, kubeconfig: string): Promise<Buffer | undefined> {
  const data = of[`${name}-data`];
  if (typeof data === "string") return Buffer.from(data, "base64");
  const path = of[name];
  return typeof path === "string" ? readFile(resolve(dirname(kubeconfig), path)) : undefined;
}

function wrong(path: string, current: string): FurrowError {
  return new FurrowError("E_FILE", {
    what: `${path} on the controller cannot be used as a kubeconfig`,
    current,
    hint: "Name the kubeconfig of a cluster, or let the playbook fetch it again",
  });
}
