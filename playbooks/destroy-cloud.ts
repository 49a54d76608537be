/**
 * Deletes everything that playbooks/provision-aws.ts created, or playbooks/provision-gcp.ts if a project is given: the
 * machine, data disks with their data, address, firewall, key pair and network. The playbook runs on this machine:
 * `furrow run playbooks/destroy-cloud.ts -i local --var prefix=harvester`, with `--var project=ID` for Google Cloud,
 * and asks you to type the prefix, unless `--yes` is given. A second run changes nothing.
 */
import { playbook, z } from "furrow";
import { awsHostGone } from "../roles/aws-host/role.ts";
import { defaultZone, gcpHostGone } from "../roles/gcp-host/role.ts";

export default playbook({
  name: "Delete a cloud machine",
  vars: z.object({
    prefix: z.string().min(1).describe("Prefix of all names; only what furrow created is deleted"),
    region: z.string().optional().describe("AWS region; default: from AWS_REGION or the AWS profile"),
    project: z.string().optional().describe("Google Cloud project; default: AWS is used"),
    zone: z.string().default(defaultZone).describe("Zone, if a project is given"),
  }),
  confirm: ({ vars: { prefix, region, project, zone } }) => {
    const place = project === undefined ? (region ?? "the default region") : `${zone} of the project ${project}`;
    const frame = project === undefined ? "firewall, key pair and own network" : "firewall and network";
    return {
      lost: `the machine ${prefix} in ${place}, all its disks with their data, its address, ${frame}`,
      typeBack: prefix,
    };
  },
  plays: [
    {
      name: "Destroy",
      hosts: "all",
      tasks: ({ vars: { prefix, region, project, zone } }) => [
        project === undefined ? awsHostGone({ prefix, region }) : gcpHostGone({ prefix, project, zone }),
      ],
    },
  ],
});
