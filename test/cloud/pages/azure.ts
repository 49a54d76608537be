import { readFileSync, writeFileSync } from "node:fs";
import type { AzureFake } from "../azure-fake/fake.ts";
import type { Answer, Clone, Ran } from "./clone.ts";
import { take } from "./page-blocks.ts";
import type { Created, Machine } from "./stand-in-words.ts";

/** Writes a copy of a certificate file with one more authority added, and returns its path. */
export function withAuthority(file: string, authority: string): string {
  const both = `${file}.both.pem`;
  writeFileSync(both, `${readFileSync(file, "utf8")}\n${authority}`);
  return both;
}

/** What cloud-init prints on the console at the first boot. */
export function printedKeys(keys: readonly string[]): string {
  return ["-----BEGIN SSH HOST KEY KEYS-----", ...keys, "-----END SSH HOST KEY KEYS-----", ""].join("\n");
}

/**
 * Runs the page's commands, from registering the subscription to deleting the machine. One of these commands sets
 * AZURE_SUBSCRIPTION_ID.
 */
export async function throughPage(
  clone: Clone,
  azure: AzureFake,
  how: {
    readonly answers: readonly Answer[];
    readonly boot: (machine: Pick<Machine, "user" | "key" | "disks">) => Promise<void>;
  },
): Promise<readonly Ran[]> {
  const { AZURE_SUBSCRIPTION_ID: subscription = "", CLOUD_STATE: state = "" } = clone.env;
  delete clone.env["AZURE_SUBSCRIPTION_ID"];
  writeFileSync(state, "{}");
  const before = async (command: string): Promise<void> => {
    register(azure, JSON.parse(readFileSync(state, "utf8")) as Created);
    if (command.includes("check playbooks/harvester.ts")) await how.boot(bootOf(azure));
  };
  const ran = await clone.run(take("clouds", "az feature register"), { answers: how.answers, before });
  clone.env["AZURE_SUBSCRIPTION_ID"] = subscription;
  return ran;
}

/**
 * Registers the feature and services that the stand-in for az has registered, and no others, in the fake's
 * subscription.
 */
function register({ world: { offers } }: AzureFake, created: Created): void {
  offers.features["UseStandardSecurityType"] = created["propagated"] === true ? "Registered" : "NotRegistered";
  for (const name of Object.keys(offers.services)) {
    offers.services[name] = created[`provider ${name}`] === true ? "Registered" : "NotRegistered";
  }
}

interface Properties {
  readonly osProfile: {
    readonly adminUsername: string;
    readonly linuxConfiguration: { readonly ssh: { readonly publicKeys: readonly { readonly keyData: string }[] } };
  };
  readonly storageProfile: { readonly dataDisks: readonly { readonly lun: number }[] };
}

/** The login and the disks of the fake's machine, as needed for its first boot. */
function bootOf({ world }: AzureFake): Pick<Machine, "user" | "key" | "disks"> {
  const [vm] = world.list("Microsoft.Compute/virtualMachines");
  if (vm === undefined) throw new Error("no machine was created");
  const { osProfile, storageProfile } = vm.properties as unknown as Properties;
  return {
    user: osProfile.adminUsername,
    key: osProfile.linuxConfiguration.ssh.publicKeys[0]?.keyData ?? "",
    disks: storageProfile.dataDisks.map(({ lun }) => `/dev/disk/azure/scsi1/lun${lun}`),
  };
}
