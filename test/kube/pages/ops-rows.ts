import { readFileSync } from "node:fs";
import { opsRows } from "../kills/ops-rows.ts";
import type { Row } from "../kills/row.ts";
import { rowOf } from "./gitops-rows.ts";
import { apiToken } from "../settings/rancher-actor.ts";
import type { PageRow } from "./row.ts";

const like = (playbook: string, does?: string): Row => rowOf(opsRows, playbook, does);

/** The page's text about a Rook manifest, with a placeholder for the digest. */
const manifest = (name: string): string =>
  `url: https://raw.githubusercontent.com/rook/rook/v1.12.2/deploy/examples/${name}.yaml\n      checksum: sha256:${"0".repeat(64)}`;

/** The commands of the guides about playbooks/ops. */
export const opsPageRows: readonly PageRow[] = [
  {
    page: "harvester/settings",
    start: "npx furrow run playbooks/ops/http-proxy.ts",
    like: like("ops/http-proxy"),
    says: [/changed .*http-proxy/],
  },
  {
    page: "harvester/settings",
    start: "npx furrow run playbooks/ops/certificates.ts -i local --var kubeconfig=",
    like: like("ops/certificates"),
    says: [/harvester-1/, /0 changed/],
  },
  {
    page: "harvester/settings",
    start: "npx furrow run playbooks/ops/certificates.ts -i local --var @certificates.yaml",
    like: like("ops/certificates"),
    says: [/changed .*auto-rotate-rke2-certs/],
  },
  {
    page: "harvester/settings",
    start: "RANCHER_TOKEN=…",
    like: like("ops/cloud-credential"),
    filled: (vars) => [
      ["https://rancher.example.org", vars["rancherUrl"] ?? ""],
      ["RANCHER_TOKEN=…", `RANCHER_TOKEN=${apiToken}`],
    ],
    says: [/changed .*the cloud credentials for Harvester in .* are valid/],
  },
  {
    page: "harvester/external-ceph",
    start: ". ./import-env.sh",
    like: like("ops/external-ceph"),
    filled: () => ["crds", "common", "operator"].map((name) => [manifest(name), `path: ${name}.yaml`] as const),
    files: (rig) => {
      const { rook } = like("ops/external-ceph").vars(rig) as { rook: { manifests: [{ path: string }] } };
      const [{ path }] = rook.manifests;
      const [crds = "", ...rest] = readFileSync(path, "utf8").split("---\n");
      return {
        "crds.yaml": crds,
        "common.yaml": rest.slice(0, -1).join("---\n"),
        "operator.yaml": rest.at(-1) ?? "",
        "import-env.sh": [
          "ROOK_EXTERNAL_USER_SECRET=AQ-health-key==",
          "CSI_RBD_NODE_SECRET=AQ-node-key==",
          "CSI_RBD_PROVISIONER_SECRET=AQ-maker-key==",
        ]
          .map((one) => `export ${one}\n`)
          .join(""),
      };
    },
    says: [/changed .*ceph-rbd/, /changed .*Harvester takes snapshots with csi-rbdplugin-snapclass-external/],
  },
  {
    page: "harvester/migration",
    start: "npx furrow run playbooks/ops/migrate-vm.ts",
    like: like("ops/migrate-vm", "migrate"),
    says: [/changed .*default\/web/],
  },
  {
    page: "harvester/migration",
    start: "npx furrow run playbooks/ops/live-migration.ts",
    like: like("ops/live-migration"),
    says: [/changed .*large/],
  },
  {
    page: "harvester/support-bundle",
    start: "npx furrow run playbooks/ops/support-bundle.ts",
    like: like("ops/support-bundle"),
    says: [/supportbundle_.*\.zip/],
  },
];
