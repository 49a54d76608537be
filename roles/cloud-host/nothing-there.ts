import { absent, type ControllerFact, task, z } from "../../src/authoring.ts";
import {
  azure,
  azurePartsOf,
  digitalOcean,
  ec2AddressState,
  ec2InstanceState,
  ec2InternetGatewayState,
  ec2KeyPairState,
  ec2SecurityGroupState,
  ec2SubnetState,
  ec2VolumeState,
  ec2VpcState,
  gce,
  gceInstancesNamed,
} from "../../src/facts/catalogue.ts";
import { common } from "../../tasks/digital-ocean-droplet/own.ts";
import { regionOf } from "../../tasks/gce-instance/params.ts";

const named = {
  name: z.string().describe("Name of the machine, and prefix of the names of everything that belongs to it"),
};
/** The names of a machine's data disks: the roles create at most five. */
const disksOf = (name: string): string[] => [1, 2, 3, 4, 5].map((number) => `${name}-data-${number}`);
const summary = "Report if neither a machine nor anything that belongs to it was found";
const title = ({ name }: { readonly name: string }): string => `what belongs to ${name}`;

type Thing = ControllerFact<unknown>;

function noteOn(things: readonly unknown[], note: string): string[] {
  return things.every((thing) => thing === absent) ? [`${note}; if you expected one, check the vars`] : [];
}

/** Reports that an AWS region has neither a machine nor anything that belongs to it. */
export const ec2NothingThere = task({
  name: "ec2NothingThere",
  summary,
  params: z.strictObject({ ...named, region: z.string().optional().describe("Region; default: the SDK's") }),
  service: "ec2",
  examples: [],
  title,
})
  .facts(({ name, region }) => ({
    things: [
      ec2InstanceState({ name, region }),
      ec2AddressState({ name, region }),
      ...disksOf(name).map((disk) => ec2VolumeState({ name: disk, region })),
      ec2SecurityGroupState({ name, region }),
      ec2InternetGatewayState({ name, region }),
      ec2SubnetState({ name, region }),
      ec2VpcState({ name, region }),
      ec2KeyPairState({ name, region }),
    ] as readonly Thing[],
  }))
  .want(() => ({}))
  .steps(() => [])
  .notes(({ name, region }, { things }) => {
    const place = region ?? "the default region (AWS_REGION, or that of the AWS profile)";
    return noteOn(
      things,
      `no machine ${name} in ${place}, and nothing that belongs to it: other regions were not searched`,
    );
  });

/** Reports that a Google Cloud project has neither a machine nor anything that belongs to it. */
export const gceNothingThere = task({
  name: "gceNothingThere",
  summary,
  params: z.strictObject({
    ...named,
    project: z.string().describe("Project"),
    zone: z.string().describe("Zone of the disks"),
  }),
  service: "gce",
  examples: [],
  title,
})
  .facts(({ project, zone, name }) => ({
    machines: gceInstancesNamed({ project, name }),
    things: [
      ...disksOf(name).map((disk) => gce.disk({ project, zone, name: disk })),
      gce.address({ project, region: regionOf(zone), name }),
      ...["managed", "open"].map((part) => gce.firewall({ project, name: `${name}-${part}` })),
      gce.subnetwork({ project, region: regionOf(zone), name: `${name}-own` }),
      gce.network({ project, name }),
    ] as readonly Thing[],
  }))
  .want(() => ({}))
  .steps(() => [])
  .notes(({ project, name, zone }, { machines, things }) =>
    machines.length > 0
      ? []
      : noteOn(
          things,
          `no machine ${name} in any zone of ${project}, and nothing that belongs to it; subnetworks were searched for only in ${regionOf(zone)}`,
        ),
  );

/** Reports that a DigitalOcean account has neither a droplet nor anything that belongs to it. */
export const digitalOceanNothingThere = task({
  name: "digitalOceanNothingThere",
  summary,
  params: z.strictObject({
    ...named,
    region: z.string().optional().describe("Region of the volumes; default: all regions"),
    token: common.token(),
  }),
  service: "digitalOcean",
  examples: [],
  title,
})
  .facts(({ name, region, token }) => ({
    things: [
      digitalOcean.droplet({ name, token }),
      ...disksOf(name).map((disk) =>
        digitalOcean.volume({ name: disk, region, owner: region === undefined ? name : undefined, token }),
      ),
      digitalOcean.firewall({ name, token }),
      digitalOcean.ownKey({ name, token }),
    ] as readonly Thing[],
  }))
  .want(() => ({}))
  .steps(() => [])
  .notes(({ name, region }, { things }) => {
    const where = region === undefined ? "" : `: volumes were searched for only in ${region}`;
    return noteOn(things, `no droplet ${name} in this account of DigitalOcean, and nothing that belongs to it${where}`);
  });

/** Reports that an Azure resource group has neither a machine nor anything that belongs to it. */
export const azureNothingThere = task({
  name: "azureNothingThere",
  summary,
  params: z.strictObject({ ...named, subscription: z.string().optional().describe("Subscription") }),
  service: "azure",
  examples: [],
  title,
})
  .facts(({ name, subscription }) => {
    const place = { group: name, subscription };
    return {
      things: [
        azure.machine({ name, ...place }),
        azure.card({ name: azurePartsOf(name).card, ...place }),
        ...disksOf(name).map((disk) => azure.disk({ name: disk, ...place })),
        azure.network({ name, ...place }),
        azure.securityGroup({ name, ...place }),
      ] as readonly Thing[],
    };
  })
  .want(() => ({}))
  .steps(() => [])
  .notes(({ name }, { things }) =>
    noteOn(
      things,
      `no machine ${name} in the resource group ${name}, and nothing that belongs to it: other groups and subscriptions were not searched`,
    ),
  );
