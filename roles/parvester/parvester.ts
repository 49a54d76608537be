import { z } from "../../src/authoring.ts";
import { quantityOf } from "../cluster-answers/quantity.ts";
import { stackFields } from "../kubevirt-stack/stack.ts";
import { localVmFields, machineIssues } from "../local-vms/vms.ts";
import { rke2Fields } from "../rke2/rke2.ts";
import { bridgeIssues } from "../vm-hosts/bridge-issues.ts";
import { bridgeFields } from "../vm-hosts/bridges.ts";
import { virtFields } from "../vm-hosts/virt-valid.ts";

/** A cluster that runs virtual machines on ordinary hosts: RKE2, KubeVirt, CDI, local-path and Multus. */
export const parvesterSchema = z
  .strictObject({ ...rke2Fields, ...virtFields, ...bridgeFields, ...stackFields, ...localVmFields })
  .superRefine((vars, context) => {
    const issue = (path: (string | number)[], message: string): void =>
      context.addIssue({ code: "custom", path, message });
    if (vars.multus === "manifest" && vars.multusManifest === undefined)
      issue(["multusManifest"], 'a release of Multus, because multus is "manifest"');
    if (vars.multus === "rke2" && vars.multusManifest !== undefined)
      issue(["multusManifest"], "nothing, because RKE2 brings its own Multus; never both");
    const used = new Set(Object.values(vars.networks).map(({ bridge }) => bridge));
    for (const name of Object.keys(vars.bridges))
      if (!used.has(name))
        issue(["bridges", name], `the bridge of a network: ${[...used].join(", ") || "none in networks"}`);
    for (const { path, message } of [...bridgeIssues(vars.bridges), ...machineIssues(vars)]) issue(path, message);
    for (const [name, { disks }] of Object.entries(vars.machines))
      for (const [index, { image, size }] of disks.entries()) {
        const least = image === undefined ? undefined : vars.images[image]?.size;
        if (least !== undefined && (quantityOf(size) ?? 0) < (quantityOf(least) ?? 0))
          issue(["machines", name, "disks", index, "size"], `at least ${least}, the size of its image`);
      }
  });

/** The validated vars of such a cluster. */
export type Parvester = z.output<typeof parvesterSchema>;
