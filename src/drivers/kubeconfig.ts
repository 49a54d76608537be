import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { LineCounter, parseDocument } from "yaml";
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
  "current-context": z.string().default(""),
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
        tokenFile: z.string().optional(),
      }),
    ),
  ),
});

/**
 * Reads a context of a kubeconfig, by default its current one; undefined if the file does not exist. Throws FurrowError
 * E_FILE if it is not a kubeconfig, has no such context, or says something about the cluster or the user that furrow does
 * not follow: to ignore it would mean to act as somebody else. No error quotes the file, which contains credentials.
 */
export function readKubeconfig(path: string, wanted?: string): Promise<ClusterAccess | undefined> {
  const key = JSON.stringify([resolve(path), wanted]);
  const current = reading.get(key);
  if (current !== undefined) return current;
  const access = readContext(resolve(path), wanted).finally(() => reading.delete(key));
  reading.set(key, access);
  return access;
}

/** The files that are being read: thousands of questions about the objects of a manifest begin at the same moment. */
const reading = new Map<string, Promise<ClusterAccess | undefined>>();

async function readContext(file: string, wanted: string | undefined): Promise<ClusterAccess | undefined> {
  const bytes = await readFile(file).catch((error: unknown) => {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw wrong(file, message);
  });
  if (bytes === undefined) return undefined;
  const { contexts, clusters, users, "current-context": own } = contentOf(bytes, file);
  const current = wanted ?? own;
  const names = contexts.map((one) => one["name"] as string).join(", ") || "none";
  if (current === "") throw wrong(file, `it names no current-context; its contexts: ${names}`, "Set `context`");
  const context = contexts.find(({ name }) => name === current)?.["context"] as Entry | undefined;
  if (context === undefined) throw wrong(file, `it has no context ${current}, only ${names}`, "Correct `context`");
  const cluster = clusters.find(({ name }) => name === context["cluster"])?.["cluster"] as Entry | undefined;
  const user = users.find(({ name }) => name === context["user"])?.["user"] as Entry | undefined;
  if (cluster === undefined || user === undefined) throw wrong(file, `its context ${current} is incomplete`);
  refuseUnknown(file, cluster, user);
  const [ca, cert, key, token] = await Promise.all([
    part(cluster, "certificate-authority", file),
    part(user, "client-certificate", file),
    part(user, "client-key", file),
    tokenOf(user, file),
  ]);
  return {
    server: String(cluster["server"]).replace(/\/$/, ""),
    insecure: cluster["insecure-skip-tls-verify"] === true,
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
    ...(typeof cluster["tls-server-name"] === "string" && { serverName: cluster["tls-server-name"] }),
    ...(token !== undefined && { token }),
  };
}

/** The text that was parsed last, and its content: it is read again for each change. */
let parsedLast:
  | { readonly file: string; readonly bytes: Buffer; readonly content: z.output<typeof schema> }
  | undefined;

function contentOf(bytes: Buffer, file: string): z.output<typeof schema> {
  if (parsedLast?.file === file && parsedLast.bytes.equals(bytes)) return parsedLast.content;
  const result = schema.safeParse(valueOf(bytes, file));
  if (!result.success) throw wrong(file, issueText(result.error.issues[0]));
  parsedLast = { file, bytes, content: result.data };
  return result.data;
}

/** Parses the file. Its errors say only where the fault is. */
function valueOf(bytes: Uint8Array, file: string): unknown {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw wrong(file, "it is not UTF-8 text");
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: "silent" });
  const [fault] = document.errors;
  if (fault !== undefined) throw wrong(file, `line ${lines.linePos(fault.pos[0]).line} is not valid YAML`);
  try {
    return document.toJS();
  } catch {
    throw wrong(file, "its aliases cannot be resolved");
  }
}

function issueText(issue: z.core.$ZodIssue | undefined): string {
  const field = (issue?.path ?? []).join(".");
  return `${field === "" ? "it" : `its ${field}`} is not as in a kubeconfig: ${issue?.message ?? "wrong form"}`;
}

/** What changes who sends a request, or how, and furrow does not follow, each with its place in a kubeconfig. */
const notFollowed = {
  cluster: ["proxy-url"],
  user: ["username", "password", "as", "as-uid", "as-groups", "as-user-extra"],
} as const;

function refuseUnknown(file: string, cluster: Entry, user: Entry): void {
  const login = ["exec", "auth-provider"].find((name) => user[name] !== undefined);
  if (login !== undefined)
    throw wrong(file, `its user logs in through ${login}, which furrow does not support`, otherUser);
  const ofUser = notFollowed.user.find((name) => user[name] !== undefined);
  if (ofUser !== undefined) throw wrong(file, `its user has ${ofUser}, which furrow does not support`, otherUser);
  const ofCluster = notFollowed.cluster.find((name) => cluster[name] !== undefined);
  if (ofCluster !== undefined) {
    const hint = "Give the kubeconfig of an address that this machine reaches without it";
    throw wrong(file, `its cluster has ${ofCluster}, which furrow does not support`, hint);
  }
  if (!/^https:/i.test(String(cluster["server"]))) throw wrong(file, "its server is not an https URL");
}

const otherUser = "Give one whose user has a certificate or a token, such as that of a ServiceAccount";

/** The user's token. That of a file counts more, because it is renewed there. */
async function tokenOf(user: Entry, kubeconfig: string): Promise<string | undefined> {
  const path = user["tokenFile"];
  if (typeof path === "string" && path !== "")
    return (await fileOf(path, "tokenFile", kubeconfig)).toString("utf8").trim();
  return typeof user["token"] === "string" ? user["token"] : undefined;
}

type Entry = Readonly<Record<string, unknown>>;

/** Reads data that the kubeconfig contains in base64 or that is in a separate file. */
async function part(of: Entry, name: string, kubeconfig: string): Promise<Buffer | undefined> {
  const data = of[`${name}-data`];
  if (typeof data === "string" && data !== "") return Buffer.from(data, "base64");
  const path = of[name];
  return typeof path === "string" && path !== "" ? fileOf(path, name, kubeconfig) : undefined;
}

function fileOf(path: string, name: string, kubeconfig: string): Promise<Buffer> {
  return readFile(resolve(dirname(kubeconfig), path)).catch((error: unknown) => {
    throw wrong(kubeconfig, `its ${name} cannot be read: ${(error as Error).message}`);
  });
}

function wrong(
  path: string,
  current: string,
  hint = "Name the kubeconfig of a cluster, or let the playbook fetch it again",
): FurrowError {
  return new FurrowError("E_FILE", { what: `${path} on the controller cannot be used as a kubeconfig`, current, hint });
}
