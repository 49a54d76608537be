/**
 * Takes away what playbooks/provision-aws.ts or, where a project is given, playbooks/provision-gcp.ts has made: machine,
 * data disks with all that is on them, address, firewall, key pair or network. It runs on this machine: `furrow run
 * playbooks/destroy-cloud.ts -i local --var prefix=harvester`, with `--var project=ID` for Google Cloud, and asks for the
 * prefix to be typed back, unless `--yes` is given. A second run changes nothing.
 */
import { playbook, z } from "furrow";
import { awsHostGone } from "../roles/aws-host/role.ts";
import { defaultZone, gcpHostGone } from "../roles/gcp-host/role.ts";

export default playbook({
  name: "A cloud's machine taken away",
  vars: z.object({
    prefix: z.string().min(1).describe("Prefix of all names; only what furrow has made is touched"),
    region: z.string().optional().describe("Region of AWS; default: that of AWS_REGION or of the AWS profile"),
    project: z.string().optional().describe("Project of Google Cloud; without one it is AWS that is meant"),
    zone: z.string().default(defaultZone).describe("Zone, where a project is given"),
  }),
  confirm: ({ vars: { prefix, region, project, zone } }) => {
    const place = project === undefined ? (region ?? "the region of this login") : `${zone} of the project ${project}`;
    const frame = project === undefined ? "firewall and key pair" : "firewall and network";
    return {
      lost: `the machine ${prefix} in ${place}, all its disks with what is on them, its address, ${frame}`,
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
