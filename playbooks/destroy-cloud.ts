/**
 * Deletes everything that playbooks/provision-aws.ts created, or playbooks/provision-gcp.ts if a project is given, or
 * playbooks/provision-digitalocean.ts with `cloud=digitalocean`: the machine, data disks with their data, address,
 * firewall, key and network. The playbook runs on this machine: `furrow run playbooks/destroy-cloud.ts -i local --var
 * prefix=harvester`, and asks you to type the prefix, unless `--yes` is given. A second run changes nothing.
 */
import { playbook, secretText, z } from "furrow";
import { awsHostGone } from "../roles/aws-host/role.ts";
import { defaultRegion, digitalOceanHostGone } from "../roles/digitalocean-host/role.ts";
import { defaultZone, gcpHostGone } from "../roles/gcp-host/role.ts";

export default playbook({
  name: "Delete a cloud machine",
  vars: z
    .object({
      prefix: z.string().min(1).describe("Prefix of all names; only what furrow created is deleted"),
      cloud: z
        .enum(["aws", "gcp", "digitalocean"])
        .optional()
        .describe("Cloud; default: gcp if a project is given, otherwise aws"),
      region: z
        .string()
        .optional()
        .describe(`Region; default for AWS: from AWS_REGION or the AWS profile; for DigitalOcean: ${defaultRegion}`),
      project: z.string().optional().describe("Google Cloud project"),
      zone: z.string().default(defaultZone).describe("Zone, if a project is given"),
      digitalOceanToken: secretText()
        .optional()
        .describe("API token for DigitalOcean, a secret; default: from DIGITALOCEAN_ACCESS_TOKEN"),
    })
    .superRefine(({ cloud, project }, context) => {
      if ((cloud === "gcp") === (project !== undefined) || cloud === undefined) return;
      const message = cloud === "gcp" ? "the id of the Google Cloud project" : "no project, which is for Google Cloud";
      context.addIssue({ code: "custom", path: ["project"], message });
    }),
  confirm: ({ vars: { prefix, cloud, region, project, zone } }) => {
    const isDigitalOcean = cloud === "digitalocean";
    const where = isDigitalOcean ? `${region ?? defaultRegion} at DigitalOcean` : (region ?? "the default region");
    const place = project === undefined ? where : `${zone} of the project ${project}`;
    const aws = isDigitalOcean ? "firewall and SSH key" : "firewall, key pair and own network";
    const frame = project === undefined ? aws : "firewall and network";
    return {
      lost: `the machine ${prefix} in ${place}, all its disks with their data, its address, ${frame}`,
      typeBack: prefix,
    };
  },
  plays: [
    {
      name: "Destroy",
      hosts: "all",
      tasks: ({ vars: { prefix, cloud, region, project, zone, digitalOceanToken: token } }) => {
        if (cloud === "digitalocean") return [digitalOceanHostGone({ prefix, region, token })];
        return [project === undefined ? awsHostGone({ prefix, region }) : gcpHostGone({ prefix, project, zone })];
      },
    },
  ],
});
