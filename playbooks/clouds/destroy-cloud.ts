/**
 * Deletes everything that provision-aws.ts created: the machine, data disks with their data, address, firewall, key and
 * network. If a project is given, it deletes what provision-gcp.ts created. With `cloud=digitalocean` or `cloud=azure`,
 * it deletes what provision-digitalocean.ts or provision-azure.ts created. The playbook runs on this machine, and asks
 * you to type the prefix, unless `--yes` is given: `furrow run playbooks/clouds/destroy-cloud.ts -i local --var
 * prefix=harvester`. A second run changes nothing. If neither a machine nor anything that belongs to it was found, a
 * note says where furrow looked.
 */
import { playbook, secretText, z } from "furrow";
import { region as awsRegion } from "../../tasks/ec2-instance/params.ts";
import { common as digitalOcean } from "../../tasks/digital-ocean-droplet/own.ts";
import { common as azure } from "../../tasks/azure-resource-group/own.ts";
import { shared as gce } from "../../tasks/gce-network/own.ts";
import { awsHostGone } from "../../roles/aws-host/role.ts";
import { azureHostGone } from "../../roles/azure-host/role.ts";
import { digitalOceanHostGone } from "../../roles/digitalocean-host/role.ts";
import { hostVars } from "../../roles/cloud-host/vars.ts";
import {
  azureNothingThere,
  digitalOceanNothingThere,
  ec2NothingThere,
  gceNothingThere,
} from "../../roles/cloud-host/nothing-there.ts";
import { defaultZone, gcpHostGone } from "../../roles/gcp-host/role.ts";

export default playbook({
  name: "Delete a cloud machine",
  vars: z
    .object({
      prefix: hostVars.prefix.unwrap().describe("Prefix of all names; only what furrow created is deleted"),
      cloud: z
        .enum(["aws", "gcp", "digitalocean", "azure"])
        .optional()
        .describe("Cloud; default: gcp if a project is given, otherwise aws"),
      region: z
        .string()
        .optional()
        .describe(
          "Region; default for AWS: AWS_REGION or the AWS profile; for DigitalOcean: whichever region the machine is in",
        ),
      project: gce.project().optional().describe("Id of the Google Cloud project"),
      zone: gce.zone().optional().describe(`Zone, if a project is given; default: ${defaultZone}`),
      digitalOceanToken: secretText()
        .optional()
        .describe("API token for DigitalOcean, a secret; default: DIGITALOCEAN_ACCESS_TOKEN"),
      azureSubscription: azure.subscription().describe("Azure subscription; default: AZURE_SUBSCRIPTION_ID"),
      deleteGroup: z.boolean().optional().describe("Also delete the resource group in Azure, if nothing else is in it"),
    })
    .superRefine((vars, context) => {
      const cloud = cloudOf(vars);
      const issue = (name: string, message: string): void =>
        context.addIssue({ code: "custom", path: [name], message: `${message}${whyOf(vars)}` });
      if (cloud === "gcp" && vars.project === undefined) issue("project", "the id of the Google Cloud project");
      for (const name of own) {
        if (vars[name] === undefined || used[cloud].includes(name)) continue;
        issue(name, `no ${name}, which ${names[cloud]} does not use`);
      }
      const { region } = vars;
      if (region === undefined || !used[cloud].includes("region")) return;
      const accepts = cloud === "aws" ? awsRegion() : digitalOcean.region();
      for (const { message } of accepts.safeParse(region).error?.issues ?? []) issue("region", message);
    }),
  confirm: ({ vars }) => ({
    lost: `the machine ${vars.prefix} in ${placeOf(vars)}, all its disks with their data, its address, ${framesOf(vars)}`,
    typeBack: vars.prefix,
  }),
  plays: [
    {
      name: "Destroy",
      hosts: "all",
      tasks: ({ vars: { prefix, cloud, region, project, zone = defaultZone, digitalOceanToken: token, ...rest } }) => {
        const { azureSubscription: subscription, deleteGroup } = rest;
        const name = prefix;
        if (cloud === "azure") {
          return [
            azureNothingThere({ name, subscription }),
            azureHostGone({ prefix, subscription, deleteGroup: deleteGroup ?? false }),
          ];
        }
        if (cloud === "digitalocean")
          return [digitalOceanNothingThere({ name, region, token }), digitalOceanHostGone({ prefix, region, token })];
        return project === undefined
          ? [ec2NothingThere({ name, region }), awsHostGone({ prefix, region })]
          : [gceNothingThere({ name, project, zone }), gcpHostGone({ prefix, project, zone })];
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
  readonly zone?: string | undefined;
  readonly deleteGroup?: boolean | undefined;
}

function cloudOf({ cloud, project }: Place): "aws" | "gcp" | "digitalocean" | "azure" {
  return cloud ?? (project === undefined ? "aws" : "gcp");
}

/** Explains how the cloud was chosen if the vars do not name one. */
function whyOf({ cloud, project }: Place): string {
  if (cloud !== undefined) return "";
  const others = "another cloud: --var cloud=digitalocean, --var cloud=azure";
  return project === undefined
    ? ` (cloud is not given, so this is AWS EC2; ${others}, --var project=ID for Google Cloud)`
    : ` (a project is given, so this is Google Cloud; ${others}, without project)`;
}

function placeOf(vars: Place): string {
  const { prefix, region, project, zone = defaultZone } = vars;
  const places = {
    aws: `${region ?? "the default region"} of AWS`,
    gcp: `${zone} of the Google Cloud project ${project ?? ""}`,
    digitalocean: region === undefined ? "whichever region of DigitalOcean it is in" : `${region} at DigitalOcean`,
    azure: `the resource group ${prefix} in Azure`,
  };
  return `${places[cloudOf(vars)]}${whyOf(vars)}`;
}

/** What is deleted besides the machine, its disks and its address. */
function framesOf(vars: Place): string {
  const cloud = cloudOf(vars);
  return cloud === "azure" && vars.deleteGroup === true ? "network and the resource group itself" : frames[cloud];
}

/** The vars that only some clouds have. */
const own = ["region", "project", "zone", "digitalOceanToken", "azureSubscription", "deleteGroup"] as const;

const used: Readonly<Record<ReturnType<typeof cloudOf>, readonly string[]>> = {
  aws: ["region"],
  gcp: ["project", "zone"],
  digitalocean: ["region", "digitalOceanToken"],
  azure: ["azureSubscription", "deleteGroup"],
};

const names = { aws: "AWS EC2", gcp: "Google Cloud", digitalocean: "DigitalOcean", azure: "Azure" } as const;

const frames = {
  aws: "firewall, key pair and own network",
  gcp: "firewall and network",
  digitalocean: "firewall and SSH key",
  azure: "network",
} as const;
