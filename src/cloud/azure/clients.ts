import type { ComputeManagementClient } from "@azure/arm-compute";
import type { NetworkManagementClient } from "@azure/arm-network";
import type { GetTokenOptions } from "@azure/identity";
import { FurrowError } from "../../core/errors.ts";
import { hideCredential } from "../../core/secrets/secret.ts";
import { missingSdk } from "../missing-sdk.ts";
import { refusals } from "./errors.ts";

/** The packages of the SDK: for the login, for machines and for networks. */
const packages = ["@azure/identity", "@azure/arm-compute", "@azure/arm-network"] as const;

/** The API clients of one subscription. */
export interface Azure {
  readonly compute: ComputeManagementClient;
  readonly network: NetworkManagementClient;
}

/**
 * Creates the API clients of a subscription. The packages are loaded on first use. The login is that of the Azure CLI,
 * of the environment (AZURE_TENANT_ID, AZURE_CLIENT_ID, …) or of a managed identity: whatever DefaultAzureCredential
 * finds. Throws FurrowError E_DRIVER if a package is not installed.
 */
export async function azureOf(subscription: string): Promise<Azure> {
  const endpoint = endpointOf(process.env["AZURE_RESOURCE_MANAGER_URL"] ?? "");
  const [credential, { ComputeManagementClient: Compute }, { NetworkManagementClient: Network }] = await Promise.all([
    credentialOf(),
    loaded(packages[1], import("@azure/arm-compute")),
    loaded(packages[2], import("@azure/arm-network")),
  ]);
  const options = { ...endpoint, additionalPolicies: [{ policy: refusals, position: "perCall" as const }] };
  return {
    compute: new Compute(credential, subscription, options),
    network: new Network(credential, subscription, options),
  };
}

/** The environment variables with which DefaultAzureCredential logs in, and whose values are secret. */
const secretVariables = [
  "AZURE_CLIENT_SECRET",
  "AZURE_CLIENT_CERTIFICATE_PASSWORD",
  "AZURE_PASSWORD",
  "IDENTITY_HEADER",
  "MSI_SECRET",
] as const;

/**
 * The login that DefaultAzureCredential finds. No output shows its tokens, or the secrets with which it logs in. Throws
 * FurrowError E_DRIVER if the package is not installed; `all`: the packages that are needed together.
 */
export async function credentialOf(all: readonly string[] = packages) {
  const { DefaultAzureCredential } = await loaded(packages[0], import("@azure/identity"), all);
  for (const name of secretVariables) hideCredential(process.env[name], "azure-login");
  const credential = new DefaultAzureCredential();
  return {
    getToken: async (scopes: string | string[], options?: GetTokenOptions) => {
      const given = await credential.getToken(scopes, options);
      hideCredential(given.token, "azure-token");
      return given;
    },
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
