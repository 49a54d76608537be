/** Blocks of commands in the guides about reports, and what they print for a healthy cluster. */
export const reportPageRows: readonly {
  readonly page: string;
  readonly start: string;
  readonly filesOf?: readonly string[];
  readonly says: readonly RegExp[];
}[] = [
  {
    page: "harvester/operations",
    start: "npx furrow check playbooks/ops/resources.ts",
    says: [/harvester-1/, /0 changed/],
  },
  {
    page: "harvester/reports",
    start: "npx furrow run playbooks/gitops/doctor.ts",
    says: [/0 changed/],
  },
  {
    page: "harvester/reports",
    start: "npx furrow run playbooks/gitops/rebuild.ts",
    filesOf: ["harvester/networks", "harvester/images", "harvester/vms"],
    says: [/0 changed/],
  },
  {
    page: "harvester/phases",
    start: "npx furrow run playbooks/gitops/rebuild.ts",
    filesOf: ["harvester/networks", "harvester/images", "harvester/vms"],
    says: [/gitops\/networks.*gitops\/storage.*gitops\/images.*gitops\/vms/s],
  },
];
