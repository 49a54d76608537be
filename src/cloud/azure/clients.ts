import type { ComputeManagementClient } from "@azure/arm-compute";
import type { NetworkManagementClient } from "@azure/arm-network";
import { FurrowError } from "../../core/errors.ts";
import { missingSdk } from "../missing-sdk.ts";
import { refusals } from "./errors.ts";

/** The packages of the SDK: the login, machines, and networks. */
const packages = ["@azure/identity", "@azure/arm-compute", "@azure/arm-network"] as const;

/** The API clients of one subscription. */
export interface Azure {
  readonly compute: ComputeManagementClient;
  readonly network: NetworkManagementClient;
}

/**
 * Opens the API of a subscription. The packages are loaded on first use. The login is that of the Azure CLI, of the
 * environment (AZURE_TENANT_ID, AZURE_CLIENT_ID, …) or of a managed identity: whatever DefaultAzureCredential finds.
 * Throws FurrowError E_DRIVER if a package is not installed.
 */
export async function azureOf(subscription: string): Promise<Azure> {
  const endpoint = endpointOf(process.env["AZURE_RESOURCE_MANAGER_URL"] ?? "");
  const [{ DefaultAzureCredential }, { ComputeManagementClient: Compute }, { NetworkManagementClient: Network }] =
    await Promise.all([
      loaded(packages[0], import("@azure/identity")),
      loaded(packages[1], import("@azure/arm-compute")),
      loaded(packages[2], import("@azure/arm-network")),
    ]);
  const credential = new DefaultAzureCredential();
  const options = { ...endpoint, additionalPolicies: [{ policy: refusals, position: "perCall" as const }] };
  return {
    compute: new Compute(credential, subscription, options),
    network: new Network(credential, subscription, options),
  };
}

/**
 * Waits until a package is loaded. Throws FurrowError E_DRIVER if it is not installed; `all`: the packages that are
 * needed together.
 */
export async function loaded<T>(name: string, loading: Promise<T>, all: readonly string[] = packages): Promise<T> {
  try {
    return await loading;
  } catch (error) {
    throw missingSdk(error, name, all);
  }
}

/** The API's address for sovereign clouds and tests. The SDK itself refuses to send a token unencrypted. */
export function endpointOf(text: string): { readonly endpoint?: string } {
  if (text === "") return {};
  if (URL.canParse(text) && new URL(text).protocol === "https:") return { endpoint: text };
  throw new FurrowError("E_DRIVER", {
    what: "AZURE_RESOURCE_MANAGER_URL is not an https URL",
    current: text,
    expected: "https://management.azure.com",
    hint: "Correct the variable, or unset it",
  });
}
