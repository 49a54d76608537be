import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { azureNetwork } from "./azure-network.ts";

const params = {
  name: "lab",
  group: "lab",
  inbound: [
    { allow: ["tcp:443"], from: ["0.0.0.0/0"] },
    { allow: ["tcp:22", "tcp:6443", "icmp"], from: ["192.0.2.7/32"] },
  ],
};
const call = azureNetwork(params);
const removal = azureNetwork({ name: "lab", group: "lab", state: "absent" });
const group = { location: "westeurope", state: "Succeeded", tags: {} };
const made = { location: "westeurope", state: "Succeeded", tags: { furrow: "furrow", other: "tag" } };
const securityGroup = {
  ...made,
  inbound: ["icmp:* 192.0.2.7/32", "tcp:22 192.0.2.7/32", "tcp:443 0.0.0.0/0", "tcp:6443 192.0.2.7/32"],
  other: [] as string[],
};
const network = {
  ...made,
  cidrs: ["10.20.0.0/16"],
  subnets: { lab: { cidr: "10.20.0.0/24", securityGroup: "lab" } },
};
const there = { group, network, securityGroup };
const others = { ...network.subnets, db: { cidr: "10.20.1.0/24", securityGroup: "" } };

/** Test cases for `azureNetwork`: the state of the network, and what the task does to it. */
export const cases: readonly Case[] = [
  {
    title: "no network",
    call,
    now: { group, network: absent, securityGroup: absent },
    steps: ["create the security group lab", "create the virtual network lab with its subnet"],
  },
  { title: "up to date, with an extra tag", call, now: there, steps: [] },
  {
    title: "an additional source is allowed",
    call,
    now: { ...there, securityGroup: { ...securityGroup, inbound: ["tcp:22 0.0.0.0/0", ...securityGroup.inbound] } },
    steps: ["change the security group lab"],
  },
  {
    title: "a rule that furrow would not write",
    call,
    now: { ...there, securityGroup: { ...securityGroup, other: ["deny-all"] } },
    steps: ["change the security group lab"],
  },
  {
    title: "the subnet is not protected, and the network does not have its tag",
    call: azureNetwork({ ...params, tags: { cost: "lab" } }),
    now: {
      ...there,
      securityGroup: { ...securityGroup, tags: { furrow: "furrow", cost: "lab" } },
      network: { ...network, subnets: { lab: { cidr: "10.20.0.0/24", securityGroup: "" } } },
    },
    steps: ["protect the subnet lab with the security group lab", "tag the virtual network lab"],
  },
  {
    title: "the subnet uses a security group of the same name from another resource group",
    call,
    now: { ...there, network: { ...network, subnets: { lab: { cidr: "10.20.0.0/24", securityGroup: "other/lab" } } } },
    steps: ["protect the subnet lab with the security group lab"],
  },
  {
    title: "up to date, but spelled in capital letters",
    call,
    now: {
      ...there,
      network: {
        ...network,
        tags: { Furrow: "furrow" },
        subnets: { LAB: { cidr: "10.20.0.0/24", securityGroup: "Lab" } },
      },
    },
    steps: [],
  },
  {
    title: "sources and ports that are contained in others",
    call: azureNetwork({
      ...params,
      inbound: [
        { allow: ["tcp:22", "tcp:20-30", "tcp:25-40"], from: ["192.0.2.7/32", "192.0.2.0/24", "192.0.2.0/24"] },
      ],
    }),
    now: { ...there, securityGroup: { ...securityGroup, inbound: ["tcp:20-40 192.0.2.0/24"] } },
    steps: [],
  },
  {
    title: "only a subnet that furrow did not create",
    call,
    now: { ...there, network: { ...network, subnets: { db: others.db } } },
    steps: ["protect the subnet lab with the security group lab"],
  },
  {
    title: "not finished",
    call,
    now: { ...there, network: { ...network, state: "Failed" } },
    steps: ["create the virtual network lab with its subnet"],
  },
  {
    title: "a different range",
    call,
    now: { ...there, network: { ...network, cidrs: ["10.0.0.0/8"] } },
    steps: [],
    refusal: "not-in-place",
  },
  {
    title: "a different range for the subnet",
    call,
    now: { ...there, network: { ...network, subnets: { lab: { cidr: "10.20.9.0/24", securityGroup: "lab" } } } },
    steps: [],
    refusal: "not-in-place",
  },
  {
    title: "a subnet outside the network",
    call: azureNetwork({ ...params, subnetCidr: "10.30.0.0/24" }),
    now: there,
    steps: [],
    refusal: "outside-network",
  },
  { title: "no resource group", call, now: { ...there, group: absent }, steps: [], refusal: "no-group" },
  {
    title: "not created by furrow",
    call,
    now: { ...there, network: { ...network, tags: {} } },
    steps: [],
    refusal: "foreign",
  },
  {
    title: "a security group that furrow did not create",
    call,
    now: { ...there, securityGroup: { ...securityGroup, tags: {} } },
    steps: [],
    refusal: "foreign",
  },
  {
    title: "a network to delete",
    call: removal,
    now: there,
    steps: ["delete the virtual network lab with its subnet", "delete the security group lab"],
  },
  {
    title: "a network to delete that has another subnet",
    call: removal,
    now: { ...there, network: { ...network, subnets: others } },
    steps: [],
    refusal: "network-in-use",
  },
  {
    title: "only the security group is left",
    call: removal,
    now: { ...there, network: absent },
    steps: ["delete the security group lab"],
  },
  { title: "gone", call: removal, now: { group, network: absent, securityGroup: absent }, steps: [] },
];
