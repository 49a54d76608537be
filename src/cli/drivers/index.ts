import type { Driver, DriverLookup } from "../../core/host/driver.ts";
import { FurrowError } from "../../core/errors.ts";
import { provideTunnels } from "../../core/host/host-tunnels.ts";
import { InventoryTunnels } from "./inventory-tunnels.ts";
import type { AddressFor } from "./ssh.ts";

/** Loaders of the drivers, by name; each driver is loaded when a task first needs it. */
const drivers: Readonly<Record<string, () => Promise<Driver>>> = {
  argo: async () => (await import("../../drivers/credentials/argo.ts")).argoDriver,
  azure: async () => (await import("../../cloud/azure/driver.ts")).azureDriver,
  certificate: async () => (await import("../../drivers/certificates/certificate.ts")).certificateDriver,
  cloudCredentials: async () => (await import("../../drivers/credentials/cloud-credentials.ts")).cloudCredentialsDriver,
  digitalOcean: async () => (await import("../../cloud/digitalocean/driver.ts")).digitalOceanDriver,
  dns: async () => (await import("../../drivers/certificates/dns.ts")).dnsDriver,
  ec2: async () => (await import("../../cloud/ec2/driver.ts")).ec2Driver,
  file: async () => (await import("../../drivers/file.ts")).fileDriver,
  gce: async () => (await import("../../cloud/gce/driver.ts")).gceDriver,
  http: async () => (await import("../../drivers/http.ts")).httpDriver,
  kubeconfig: async () => (await import("../../drivers/kubeconfig-file.ts")).kubeconfigFileDriver,
  kubernetes: async () => (await import("../../drivers/kubernetes.ts")).kubernetesDriver,
  ipmi: async () => (await import("../../drivers/power/ipmi.ts")).ipmiDriver,
  manifest: async () => (await import("../../drivers/manifest/driver.ts")).manifestDriver,
  operator: async () => (await import("../../drivers/operator.ts")).operatorDriver,
  ssh: async () => {
    const [{ sshDriver }, { addressOf }, { mergeHosts }, { readSshConfig }] = await Promise.all([
      import("./ssh.ts"),
      import("../../load/inventory/address.ts"),
      import("../../load/vars/precedence.ts"),
      import("../../load/ssh-config/files.ts"),
    ]);
    return sshDriver(({ name, ...entry }) => {
      const [host] = mergeHosts({ hosts: { [name]: entry } });
      if (host === undefined) throw new FurrowError("E_BUG", { what: `the machine "${name}" has no address` });
      return addressOf(host, { sshConfig: readSshConfig(), hosts: new Map() });
    });
  },
  rancher: async () => (await import("../../drivers/rancher.ts")).rancherDriver,
  redfish: async () => (await import("../../drivers/power/redfish.ts")).redfishDriver,
  tree: async () => (await import("../../drivers/tree.ts")).treeDriver,
};

/** Finds the drivers that come with furrow; jump hosts are looked up in ssh_config only. */
export const findDriver: DriverLookup = async (name) => {
  const load = Object.hasOwn(drivers, name) ? drivers[name] : undefined;
  if (load !== undefined) return load();
  throw new FurrowError("E_DRIVER", {
    what: `there is no driver "${name}"`,
    expected: `one of ${Object.keys(drivers).join(", ")}`,
    hint: "Correct the driver's name in the task's fact or step",
  });
};

/**
 * Returns a lookup like {@link findDriver} whose drivers search the inventory first, both for jump hosts and for the
 * hosts through which a cluster is reached.
 */
export function driversWith(addressFor: AddressFor): DriverLookup {
  provideTunnels(new InventoryTunnels(addressFor));
  return async (name) => (name === "ssh" ? (await import("./ssh.ts")).sshDriver(addressFor) : findDriver(name));
}
