/**
 * Deletes everything that provision-aws.ts created, or provision-gcp.ts if a project is given, provision-digitalocean.ts
 * with `cloud=digitalocean`, provision-azure.ts with `cloud=azure`: the machine, data disks with their data, address,
 * firewall, key and network. The playbook runs on this machine: `furrow run playbooks/clouds/destroy-cloud.ts -i local
 * --var prefix=harvester`, and asks you to type the prefix, unless `--yes` is given. A second run changes nothing.
 */
import { playbook, secretText, z } from "furrow";
import { awsHostGone } from "../../roles/aws-host/role.ts";
import { azureHostGone } from "../../roles/azure-host/role.ts";
import { defaultRegion, digitalOceanHostGone } from "../../roles/digitalocean-host/role.ts";
import { defaultZone, gcpHostGone } from "../../roles/gcp-host/role.ts";

export default playbook({
  name: "Delete a cloud machine",
  vars: z
    .object({
      prefix: z.string().min(1).describe("Prefix of all names; only what furrow created is deleted"),
      cloud: z
        .enum(["aws", "gcp", "digitalocean", "azure"])
        .optional()
        .describe("Cloud; default: gcp if a project is given, otherwise aws"),
      region: z
        .string()
        .optional()
        .describe(`Region; default for AWS: AWS_REGION or the AWS profile; for DigitalOcean: ${defaultRegion}`),
      project: z.string().optional().describe("Google Cloud project"),
      zone: z.string().default(defaultZone).describe("Zone, if a project is given"),
      digitalOceanToken: secretText()
        .optional()
        .describe("API token for DigitalOcean, a secret; default: DIGITALOCEAN_ACCESS_TOKEN"),
      azureSubscription: z.string().optional().describe("Azure subscription; default: AZURE_SUBSCRIPTION_ID"),
      deleteGroup: z
        .boolean()
        .default(false)
        .describe("Also delete the resource group in Azure, if nothing else is in it"),
    })
    .superRefine(({ cloud, project }, context) => {
      if ((cloud === "gcp") === (project !== undefined) || cloud === undefined) return;
      const message = cloud === "gcp" ? "the id of the Google Cloud project" : "no project, which is for Google Cloud";
      context.addIssue({ code: "custom", path: ["project"], message });
    }),
  confirm: ({ vars }) => ({
    lost: `the machine ${vars.prefix} in ${placeOf(vars)}, all its disks with their data, its address, ${framesOf(vars)}`,
    typeBack: vars.prefix,
  }),
  plays: [
    {
      name: "Destroy",
      hosts: "all",
      tasks: ({ vars: { prefix, cloud, region, project, zone, digitalOceanToken: token, ...azure } }) => {
        const { azureSubscription: subscription, deleteGroup } = azure;
        if (cloud === "azure") return [azureHostGone({ prefix, subscription, deleteGroup })];
        if (cloud === "digitalocean") return [digitalOceanHostGone({ prefix, region, token })];
        return [project === undefined ? awsHostGone({ prefix, region }) : gcpHostGone({ prefix, project, zone })];
      },
    },
  ],
});

/** The vars that say where the machine is. */
interface Place {
  readonly prefix: string;
  readonly cloud?: "aws" | "gcp" | "digitalocean" | "azure" | undefined;
  readonly region?: string | undefined;
  readonly project?: string | undefined;
  readonly zone: string;
  readonly deleteGroup: boolean;
}

function cloudOf({ cloud, project }: Place): "aws" | "gcp" | "digitalocean" | "azure" {
  return cloud ?? (project === undefined ? "aws" : "gcp");
}

function placeOf(vars: Place): string {
  const { prefix, region, project, zone } = vars;
  const places = {
    aws: `${region ?? "the default region"} of AWS`,
    gcp: `${zone} of the Google Cloud project ${project ?? ""}`,
    digitalocean: `${region ?? defaultRegion} at DigitalOcean`,
    azure: `the resource group ${prefix} in Azure`,
  };
  return places[cloudOf(vars)];
}

/** What is deleted besides the machine, its disks and its address. */
function framesOf(vars: Place): string {
  const cloud = cloudOf(vars);
  return cloud === "azure" && vars.deleteGroup ? "network and the resource group itself" : frames[cloud];
}

const frames = {
  aws: "firewall, key pair and own network",
  gcp: "firewall and network",
  digitalocean: "firewall and SSH key",
  azure: "network",
} as const;
