import { createRequire } from "node:module";
import { FurrowError } from "../../core/errors.ts";
import { hideCredential } from "../../core/secrets/secret.ts";
import { missingSdk } from "../missing-sdk.ts";
import { hideMetadataWarning } from "./metadata-warning.ts";

/** A method of an API client. It takes its request as data and returns an array that begins with the answer. */
type Method = (request: object, options: object) => Promise<readonly unknown[]>;

/** An API client: its methods, keyed by name. */
type Client = Readonly<Record<string, Method>>;

/** The client classes that furrow uses, by the file in the package that contains them. */
const classes = {
  addresses: "AddressesClient",
  disks: "DisksClient",
  disk_types: "DiskTypesClient",
  firewalls: "FirewallsClient",
  global_operations: "GlobalOperationsClient",
  images: "ImagesClient",
  instances: "InstancesClient",
  machine_types: "MachineTypesClient",
  networks: "NetworksClient",
  projects: "ProjectsClient",
  region_operations: "RegionOperationsClient",
  regions: "RegionsClient",
  routers: "RoutersClient",
  subnetworks: "SubnetworksClient",
  zone_operations: "ZoneOperationsClient",
} as const;

/** The name of a client, which is also the name of its file: `instances`. */
export type ClientName = keyof typeof classes;

const opened = new Map<string, Client>();

/**
 * Creates an API client. A client is loaded on first use from its own file, because the package's main file loads and
 * builds about a hundred clients. Credentials come from the environment
 * (https://cloud.google.com/docs/authentication/application-default-credentials).
 * `CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE`, which gcloud also uses, overrides the API's address. Throws FurrowError
 * E_DRIVER if that variable is not a URL or the SDK is not installed.
 */
export function clientOf(name: ClientName): Client {
  const endpoint = process.env["CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE"] ?? "";
  // A client reads its credentials only once, so different credentials need a new client.
  const key = [name, endpoint, process.env["GOOGLE_APPLICATION_CREDENTIALS"]].join("\n");
  const known = opened.get(key);
  if (known !== undefined) return known;
  const ClientClass = loadClients(name)[classes[name]];
  if (ClientClass === undefined) throw new FurrowError("E_BUG", { what: `the client ${name} is not in its file` });
  const client = new ClientClass(endpointOf(endpoint)) as unknown as Client;
  opened.set(key, client);
  return client;
}

function loadClients(name: ClientName): Record<string, Constructor> {
  hideMetadataWarning();
  const require = createRequire(import.meta.url);
  try {
    return require(`@google-cloud/compute/build/src/v1/${name}_client.js`) as Record<string, Constructor>;
  } catch (error) {
    throw missingSdk(error, "@google-cloud/compute");
  }
}

type Constructor = new (options: object) => object;

function endpointOf(text: string): object {
  if (text === "") return {};
  if (!URL.canParse(text)) {
    throw new FurrowError("E_DRIVER", {
      what: "CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE is not a URL",
      current: text,
      expected: "https://compute.googleapis.com/compute/v1/",
      hint: "Correct the variable, or unset it",
    });
  }
  const { hostname, protocol, port } = new URL(text);
  return { apiEndpoint: hostname, protocol: protocol.slice(0, -1), ...(port !== "" && { port: Number(port) }) };
}

/** The part of Google's authentication that furrow uses; every client of Compute Engine has it. */
export interface GoogleAuth {
  /** The content of a file with credentials, once it has been read. */
  readonly jsonContent?: Readonly<Record<string, unknown>> | null;
  /** The e-mail address of the account, if the credentials contain it. */
  getCredentials(): Promise<{ readonly client_email?: string | undefined }>;
  request(options: object): Promise<{ readonly status: number; readonly data: unknown }>;
  getClient(): Promise<{ readonly transporter: { readonly interceptors: { readonly request: Set<object> } } }>;
}

/**
 * Hides the token of each request. All clients share this one object, so adding it again to a client's set of
 * interceptors has no effect.
 */
const tokenHider = {
  resolved: (request: { readonly headers: Headers }): Promise<object> => {
    hideCredential(request.headers.get("authorization")?.replace(/^Bearer /, ""), "google-token");
    return Promise.resolve(request);
  },
};

/**
 * The authentication of a client. No output shows its tokens, or the secrets in its credentials. Throws what Google's
 * library throws if there are no credentials.
 */
export async function authOf(name: ClientName): Promise<GoogleAuth> {
  const { auth } = clientOf(name) as unknown as { readonly auth: GoogleAuth };
  const { transporter } = await auth.getClient();
  transporter.interceptors.request.add(tokenHider);
  for (const part of ["private_key", "refresh_token", "client_secret"]) {
    const value = auth.jsonContent?.[part];
    if (typeof value === "string") hideCredential(value, "google-credentials");
  }
  return auth;
}

/** Creates a client that is logged in. Passes on any error that the client throws. */
export async function readyClient(name: ClientName): Promise<Client> {
  const client = clientOf(name);
  // Without this call, a client without credentials causes an unhandled promise rejection.
  await client["initialize"]?.call(client, {}, {});
  await authOf(name);
  return client;
}

/** Calls a client's method once, without the client's own retries. Passes on any error that the client throws. */
export async function callOnce(name: ClientName, method: string, request: object): Promise<unknown> {
  const client = await readyClient(name);
  const act = client[method];
  if (act === undefined) throw new FurrowError("E_BUG", { what: `Compute Engine's ${name} has no method ${method}` });
  // A call to `wait` takes up to two minutes.
  const timeout = method === "wait" ? 150_000 : 30_000;
  const [answer] = await act.call(client, request, { timeout, retry: null });
  return answer;
}
