/** A block of commands that runs word for word on the hosts of a lab: its page below docs/guides, and its beginning. */
export interface LabRow {
  readonly page: string;
  readonly start: string;
  /** Another guide whose files the commands use. */
  readonly filesOf?: string;
  readonly says: readonly RegExp[];
}

/** The blocks about nodes and guests of a cluster. */
export const nodeRows: readonly LabRow[] = [
  {
    page: "harvester/operations",
    start: "npx furrow ping -i nodes.ts",
    says: [/harvester-1/, /harvester-2/, /harvester-3/],
  },
  { page: "harvester/guests", start: "npx furrow inventory", says: [/web\.default/, /harvester-1/] },
  { page: "harvester/guests", start: "npx furrow ping guests", says: [/web\.default/] },
  {
    page: "harvester/guests",
    start: "npx furrow run playbooks/ops/guest-fstrim.ts",
    says: [/changed .*fstrim\.timer/],
  },
];

/** The blocks about the settings with which the nodes were installed. */
export const installedRows = {
  boot: {
    page: "harvester/iscsi-boot",
    start: "npx furrow check playbooks/ops/iscsi-boot.ts",
    filesOf: "harvester/operations",
    says: [
      /2 would change/,
      /2 changed/,
      /no iSCSI boot firmware table/,
      /this release does not read third_party_kernel_args/,
    ],
  },
  ceph: {
    page: "harvester/external-ceph",
    start: "npx furrow run playbooks/ops/external-ceph-nodes.ts",
    filesOf: "harvester/operations",
    says: [/harvester-1/, /harvester-2/, /harvester-3/, /0 changed, 3 ok/],
  },
} as const satisfies Readonly<Record<string, LabRow>>;

/** The block about the bridges of nodes. */
export const vlansRow = {
  page: "harvester/reports",
  start: "npx furrow run playbooks/gitops/vlans.ts",
  filesOf: "harvester/operations",
  says: [
    /harvester-1 has VLAN 30, 60 on vm-bo/,
    /harvester-2 lacks VLAN 30 on vm-bo; networks without a connection there: default\/platform/,
    /harvester-2 has VLAN 60 on vm-bo/,
    /harvester-2 has VLANs on vm-bo that no network uses: 99/,
    /harvester-3 lacks vm-bo, although Harvester reports vm as ready/,
    /^0 changed, 3 ok/m,
  ],
} as const satisfies LabRow;

const pxe = "npx furrow run playbooks/pxe.ts -i inventory.ts --var";

/** The blocks about a rack, in the order in which they change the rack's server. */
export const rackRows: readonly LabRow[] = [
  {
    page: "harvester/pxe",
    start: "npx furrow check playbooks/pxe.ts",
    says: [/would change/, /changed .*dnsmasq/, /node-3/],
  },
  { page: "harvester/pxe", start: `${pxe} @rack.yaml`, says: [/802\.3ad/, /changed/] },
  { page: "harvester/pxe", start: `${pxe} @pools.yaml`, says: [/changed/] },
  { page: "harvester/pxe", start: `${pxe} @proxy.yaml`, says: [/changed/] },
];

/** The blocks about machines with management controllers, in the order in which they are switched on and off. */
export const powerRows: readonly LabRow[] = [
  {
    page: "harvester/power",
    start: "export BMC_PASSWORD=…\nnpx furrow check playbooks/power-off.ts",
    says: [/would change/, /changed .*node-1/, /changed .*node-2/, /changed .*node-3/],
  },
  {
    page: "harvester/power",
    start: "export BMC_PASSWORD=…\nnpx furrow run one.ts",
    says: [/1 changed, 0 ok/],
  },
];
