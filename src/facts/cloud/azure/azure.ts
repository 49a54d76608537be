import type { ControllerFact, Json } from "../../../core/facts/fact.ts";
import type { CallStep } from "../../../core/host/step.ts";
import type { AzurePlace, AzureTags, AzureValues } from "./values.ts";

function azureFact<K extends keyof AzureValues>(
  get: K,
  { name, group, location, subscription }: AzurePlace,
): ControllerFact<AzureValues[K]> {
  return { driver: "azure", request: plain({ get, name, group, location, subscription }) };
}

/** A rule that allows inbound traffic. */
export interface AzureRule {
  readonly protocol: "tcp" | "udp" | "icmp";
  /** `22`, `8000-8100`, `*`. */
  readonly ports: readonly string[];
  readonly from: readonly string[];
}

/** The settings of a new machine. */
export interface AzureMachineParts {
  readonly location: string;
  readonly zone?: string | undefined;
  readonly size: string;
  /** `publisher:offer:sku:version`. */
  readonly image: string;
  readonly login: string;
  readonly publicKeys: readonly string[];
  readonly osDiskGb: number;
  readonly osDiskType: string;
  /** The names of the data disks, sorted by their numbers on the disk controller. */
  readonly disks: readonly string[];
  /** The network; its subnet has the same name. */
  readonly network: string;
  readonly publicAddress: boolean;
  readonly security: "standard" | "trustedLaunch";
  readonly tags: AzureTags;
}

/** The kinds of resources that carry furrow's tags. */
export type AzureKind = "group" | "network" | "securityGroup" | "address" | "card" | "disk" | "machine";

/** An action that furrow performs in Azure. It acts on an existing resource only if the resource belongs to `owner`. */
export type AzureAct = AzurePlace & { readonly group: string; readonly owner: string } & (
    | { readonly act: "createGroup"; readonly location: string; readonly tags: AzureTags }
    | { readonly act: "tag"; readonly kind: AzureKind; readonly tags: AzureTags }
    | {
        readonly act: "putSecurityGroup";
        readonly location: string;
        readonly rules: readonly AzureRule[];
        readonly tags: AzureTags;
      }
    | {
        readonly act: "createNetwork";
        readonly location: string;
        readonly cidr: string;
        readonly subnetCidr: string;
        readonly tags: AzureTags;
      }
    | { readonly act: "putSubnet"; readonly subnetCidr: string }
    | {
        readonly act: "createDisk";
        readonly location: string;
        readonly sizeGb: number;
        readonly type: string;
        readonly zone?: string | undefined;
        readonly tags: AzureTags;
      }
    | { readonly act: "growDisk"; readonly sizeGb: number }
    | ({ readonly act: "createMachine" } & AzureMachineParts)
    | { readonly act: "awaitMachine" }
    | { readonly act: "attachDisks"; readonly disks: Readonly<Record<string, number>> }
    | { readonly act: "keepDisks"; readonly disks: readonly string[] }
    | {
        readonly act: "setPublicAddress";
        readonly location: string;
        readonly network: string;
        /** If false, the interface is only repaired, and keeps its current address, if any. */
        readonly publicAddress: boolean;
      }
    | { readonly act: "resizeMachine"; readonly location: string; readonly size: string }
    | {
        readonly act: "startMachine";
        readonly location: string;
        readonly size: string;
        /**
         * Whether Azure already counts the machine's processors against the quota: it does if the guest shut itself
         * down.
         */
        readonly isAllocated: boolean;
      }
    | { readonly act: "stopMachine" }
    | { readonly act: "readHostKeys"; readonly deadlineSeconds: number }
    | { readonly act: "delete"; readonly kind: AzureKind }
  );

/** Creates the facts and steps of Azure tasks. */
export const azure = {
  group: (place: AzurePlace) => azureFact("group", place),
  contents: (place: AzurePlace) => azureFact("contents", place),
  network: (place: AzurePlace) => azureFact("network", place),
  securityGroup: (place: AzurePlace) => azureFact("securityGroup", place),
  address: (place: AzurePlace) => azureFact("address", place),
  card: (place: AzurePlace) => azureFact("card", place),
  disk: (place: AzurePlace) => azureFact("disk", place),
  machine: (place: AzurePlace) => azureFact("machine", place),
  size: (place: AzurePlace) => azureFact("size", place),
  image: (place: AzurePlace) => azureFact("image", place),
  location: (place: AzurePlace) => azureFact("location", place),
  feature: (place: AzurePlace) => azureFact("feature", place),
  /** A single action. The step waits until Azure has finished. */
  call: (act: AzureAct, label: string): CallStep => ({
    step: "call",
    driver: "azure",
    request: plain({ ...act }),
    label,
  }),
  /** All Azure facts, because a change to one resource can also change the facts about others. */
  all: "azure:**",
} as const;

/** The tag that furrow gives to everything that it creates; its value is the owner. */
export const azureOwnerTag = "furrow";

/** The tag that contains a machine's SSH host key, as printed on its console. */
export const azureHostKeyTag = "furrow-host-key";

/** The names of the resources that furrow creates and deletes together with a machine. */
export function azurePartsOf(machine: string) {
  return { osDisk: `${machine}-os`, card: `${machine}-nic`, address: `${machine}-ip` } as const;
}

/** A request as JSON, without undefined fields. */
function plain(request: Readonly<Record<string, unknown>>): Json {
  return JSON.parse(JSON.stringify(request)) as Json;
}
