import { createRequire } from "node:module";
import { FurrowError } from "../../core/errors.ts";

/** A method of one of the API's clients: its request as data; the answer is the first of what it gives. */
type Method = (request: object, options: object) => Promise<readonly unknown[]>;

/** A client with its methods by name. */
type Client = Readonly<Record<string, Method>>;

/** The clients in use: the files they are in and their classes, as the package's door has them. */
const classes = {
  addresses: "AddressesClient",
  disks: "DisksClient",
  firewalls: "FirewallsClient",
  global_operations: "GlobalOperationsClient",
  images: "ImagesClient",
  instances: "InstancesClient",
  machine_types: "MachineTypesClient",
  networks: "NetworksClient",
  region_operations: "RegionOperationsClient",
  zone_operations: "ZoneOperationsClient",
} as const;

/** A client by its file: `instances`. */
export type ClientName = keyof typeof classes;

const opened = new Map<string, Client>();

/**
 * A client of the API, loaded when it is first asked for, from a file of its own: the package's door loads and builds a
 * hundred of them. Credentials are those of the environment (https://cloud.google.com/docs/authentication/application-default-credentials).
 * The API answers at its own address, or at that of `CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE`, the setting that gcloud has
 * for it too. Throws FurrowError E_DRIVER where that is no URL.
 */
export function clientOf(name: ClientName): Client {
  const endpoint = process.env["CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE"] ?? "";
  // Credentials are read once for each client: other ones make another client.
  const key = [name, endpoint, process.env["GOOGLE_APPLICATION_CREDENTIALS"]].join("\n");
  const known = opened.get(key);
  if (known !== undefined) return known;
  const require = createRequire(import.meta.url);
  const file = require(`@google-cloud/compute/build/src/v1/${name}_client.js`) as Record<string, Constructor>;
  const ClientClass = file[classes[name]];
  if (ClientClass === undefined) throw new FurrowError("E_BUG", { what: `the client ${name} is not where it was` });
  const client = new ClientClass(endpointOf(endpoint)) as unknown as Client;
  opened.set(key, client);
  return client;
}

type Constructor = new (options: object) => object;

function endpointOf(text: string): object {
  if (text === "") return {};
  if (!URL.canParse(text)) {
    throw new FurrowError("E_DRIVER", {
      what: "CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE is no URL",
      current: text,
      expected: "https://compute.googleapis.com/compute/v1/",
      hint: "Correct the variable, or take it out of the environment",
    });
  }
  const { hostname, protocol, port } = new URL(text);
  return { apiEndpoint: hostname, protocol: protocol.slice(0, -1), ...(port !== "" && { port: Number(port) }) };
}

/** Calls a method of a client, once and without the client's own retries. Throws what the client throws. */
export async function callOnce(name: ClientName, method: string, request: object): Promise<unknown> {
  const client = clientOf(name);
  const act = client[method];
  if (act === undefined) throw new FurrowError("E_BUG", { what: `Compute Engine's ${name} has no method ${method}` });
  // Without this a client without credentials leaves a promise behind that nobody looks at.
  await client["initialize"]?.call(client, {}, {});
  // The API holds a wait for two minutes.
  const timeout = method === "wait" ? 150_000 : 30_000;
  const [answer] = await act.call(client, request, { timeout, retry: null });
  return answer;
}
