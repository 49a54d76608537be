import { dirname, resolve } from "node:path";
import { hideCredential } from "../../core/secrets/secret.ts";
import { readRegularFile } from "../regular-file.ts";
import { contentOf, type KubeconfigContent } from "./content.ts";
import { authorityIn, foreignPart, isFromHost, type Reached } from "./from-host.ts";
import { type Impersonation, impersonationOf } from "./impersonation.ts";
import { Login } from "./login.ts";
import { pluginOf } from "./plugin.ts";
import { proxyOf } from "./proxy.ts";
import { throughOf } from "./through.ts";
import { type Entry, says, wrong } from "./wrong.ts";

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
  /** The program that provides a certificate or token, if the kubeconfig has none. */
  readonly login?: Login;
  /** The headers for acting as another user. */
  readonly impersonation?: Impersonation;
  /** The proxy through which the server is reached; it may contain a password. */
  readonly proxy?: URL;
  /** The inventory host whose SSH connection is used to reach the server. */
  readonly through?: string;
}

/**
 * Reads a context of a kubeconfig, by default its current one; undefined if the file does not exist. Throws FurrowError
 * E_FILE if the file is not a kubeconfig, has no such context, or has a setting of the cluster or the user that furrow
 * does not support: ignoring it could mean acting as somebody else. A kubeconfig that furrow has fetched from a host
 * must be self-contained. No error quotes the file, which contains credentials.
 */
export function readKubeconfig(path: string, wanted?: string): Promise<ClusterAccess | undefined> {
  const key = JSON.stringify([resolve(path), wanted]);
  const current = reading.get(key);
  if (current !== undefined) return current;
  const access = readContext(resolve(path), wanted).finally(() => reading.delete(key));
  reading.set(key, access);
  return access;
}

/** The files that are being read: thousands of queries for the objects of a manifest begin at the same moment. */
const reading = new Map<string, Promise<ClusterAccess | undefined>>();

/** Describes a kubeconfig and its cluster, without credentials. */
export interface Description {
  readonly server: string;
  /** The digest of the CA certificates; undefined if the kubeconfig contains none. */
  readonly ca: string | undefined;
  /** The first part that is not allowed in a kubeconfig from a host; undefined if every part is allowed. */
  readonly foreign: string | undefined;
  /** The names of the contexts, clusters and users that its current context does not use. */
  readonly others: readonly string[];
}

/**
 * Describes a kubeconfig without opening any file that it names; undefined if the kubeconfig does not exist. Throws
 * FurrowError E_FILE if the file is not a kubeconfig. `reached`: the only server that a kubeconfig from a host may
 * name.
 */
export async function describeKubeconfig(path: string, reached?: Reached): Promise<Description | undefined> {
  const file = resolve(path);
  const content = await readContent(file);
  if (content === undefined) return undefined;
  const { cluster, user } = entriesOf(content, undefined, file);
  return {
    server: serverOf(cluster),
    ca: authorityIn(cluster),
    foreign: foreignPart(content, reached),
    others: othersIn(content, cluster, user),
  };
}

/** The maximum size of a kubeconfig, and of each file that it names, in MiB: most are a few KiB. */
const mostMiB = 4;

async function readContent(file: string): Promise<KubeconfigContent | undefined> {
  const bytes = await readRegularFile(file, mostMiB).catch((error: unknown) => {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw wrong(file, message);
  });
  return bytes && contentOf(bytes, file);
}

function othersIn(
  { contexts, clusters, users, "current-context": own }: KubeconfigContent,
  cluster: Entry,
  user: Entry,
): string[] {
  const names = [
    ...contexts.filter(({ name }) => name !== own),
    ...clusters.filter((one) => one["cluster"] !== cluster),
    ...users.filter((one) => one["user"] !== user),
  ].map(({ name }) => name as string);
  return [...new Set(names)];
}

function entriesOf(
  { contexts, clusters, users, "current-context": own }: KubeconfigContent,
  wanted: string | undefined,
  file: string,
): { readonly cluster: Entry; readonly user: Entry } {
  const current = wanted ?? own;
  const names = contexts.map((one) => one["name"] as string).join(", ") || "none";
  if (current === "") throw wrong(file, `it has no current-context; its contexts: ${names}`, "Set `context`");
  const context = contexts.find(({ name }) => name === current)?.["context"] as Entry | undefined;
  if (context === undefined) throw wrong(file, `it has no context ${current}, only ${names}`, "Correct `context`");
  const cluster = clusters.find(({ name }) => name === context["cluster"])?.["cluster"] as Entry | undefined;
  const user = users.find(({ name }) => name === context["user"])?.["user"] as Entry | undefined;
  if (cluster === undefined || user === undefined) throw wrong(file, `its context ${current} is incomplete`);
  return { cluster, user };
}

async function readContext(file: string, wanted: string | undefined): Promise<ClusterAccess | undefined> {
  const content = await readContent(file);
  if (content === undefined) return undefined;
  refuseForeign(file, content);
  const { cluster, user } = entriesOf(content, wanted, file);
  refuseUnknown(file, cluster, user);
  const [ca, cert, key, token] = await Promise.all([
    part(cluster, "certificate-authority", file),
    part(user, "client-certificate", file),
    part(user, "client-key", file),
    tokenOf(user, file),
  ]);
  const login = isGiven(user["exec"]) ? Login.of(pluginOf(user, cluster, ca, file)) : undefined;
  const impersonation = impersonationOf(user, file);
  const proxy = proxyOf(cluster, file);
  const through = throughOf(cluster, file);
  hideCredential(token, "kubeconfig-token");
  hideCredential(key?.toString(), "kubeconfig-key");
  return {
    server: serverOf(cluster),
    insecure: cluster["insecure-skip-tls-verify"] === true,
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
    ...(typeof cluster["tls-server-name"] === "string" && { serverName: cluster["tls-server-name"] }),
    ...(token && { token }),
    ...(login && !token && !(cert && key) && { login }),
    ...(impersonation && { impersonation }),
    ...(proxy && { proxy }),
    ...(through !== undefined && { through }),
  };
}

const serverOf = (cluster: Entry): string => String(cluster["server"]).replace(/\/$/, "");

/**
 * A host must not choose what runs on the controller, which of the controller's files are sent, or where they are sent.
 */
function refuseForeign(file: string, content: KubeconfigContent): void {
  if (!isFromHost(file)) return;
  const foreign = foreignPart(content);
  if (foreign === undefined) return;
  const hint = "Find out who wrote it, delete the file, and fetch it again with the harvester playbook";
  throw wrong(
    file,
    `it was fetched from a host, and has ${foreign}, which is not allowed in a kubeconfig from a host`,
    hint,
  );
}

/** Refuses settings that furrow does not support: ignoring a login method could mean acting as somebody else. */
function refuseUnknown(file: string, cluster: Entry, user: Entry): void {
  const field = isGiven(user["auth-provider"])
    ? "auth-provider"
    : ["username", "password"].find((name) => says(user, name));
  if (field !== undefined) {
    const hint =
      "Use a kubeconfig whose user has a certificate, a token (such as a ServiceAccount's) or an exec program";
    throw wrong(file, `its user has ${field}, which furrow does not support`, hint);
  }
  if (!/^https:/i.test(String(cluster["server"]))) throw wrong(file, "its server is not an https URL");
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** The user's token. A token file takes precedence, because the token is renewed there. */
async function tokenOf(user: Entry, kubeconfig: string): Promise<string | undefined> {
  const path = user["tokenFile"];
  if (typeof path === "string" && path !== "")
    return (await fileOf(path, "tokenFile", kubeconfig)).toString("utf8").trim();
  return typeof user["token"] === "string" ? user["token"] : undefined;
}

/** Reads data that is in the kubeconfig itself (as base64) or in a separate file. */
async function part(of: Entry, name: string, kubeconfig: string): Promise<Buffer | undefined> {
  const data = of[`${name}-data`];
  if (typeof data === "string" && data !== "") return Buffer.from(data, "base64");
  const path = of[name];
  return typeof path === "string" && path !== "" ? fileOf(path, name, kubeconfig) : undefined;
}

function fileOf(path: string, name: string, kubeconfig: string): Promise<Buffer> {
  return readRegularFile(resolve(dirname(kubeconfig), path), mostMiB).catch((error: unknown) => {
    throw wrong(kubeconfig, `its ${name} cannot be read: ${(error as Error).message}`);
  });
}
