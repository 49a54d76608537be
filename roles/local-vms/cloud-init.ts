import type { LocalVm } from "./vms.ts";
import { macOf } from "./mac.ts";

/**
 * The user data of cloud-init. JSON is valid YAML; the password hash in it stays a secret. Nobody can log in over SSH
 * with a password.
 */
export function userText(name: string, { user, sshKeys, passwordHash }: LocalVm): string {
  const account = {
    name: user,
    groups: "sudo",
    shell: "/bin/bash",
    sudo: "ALL=(ALL) NOPASSWD:ALL",
    lock_passwd: passwordHash === undefined,
    ...(passwordHash !== undefined && { passwd: passwordHash }),
    ...(sshKeys.length > 0 && { ssh_authorized_keys: sshKeys }),
  };
  const data = { hostname: name, ssh_pwauth: false, disable_root: true, users: [account] };
  return `#cloud-config\n${JSON.stringify(data, undefined, 2)}\n`;
}

/** The network data of cloud-init, version 2. A network card is matched by its MAC address, whatever its name. */
export function networkText(name: string, { nics }: LocalVm, namespace: string): string {
  const ethernets = nics.map(({ address, gateway, nameservers, mtu }, index) => [
    `nic${index}`,
    {
      match: { macaddress: macOf(name, namespace, index) },
      ...(address === undefined
        ? { dhcp4: true }
        : {
            dhcp4: false,
            addresses: [address],
            ...(gateway !== undefined && { routes: [{ to: "0.0.0.0/0", via: gateway }] }),
            nameservers: { addresses: nameservers },
          }),
      ...(mtu !== undefined && { mtu }),
    },
  ]);
  return `${JSON.stringify({ version: 2, ethernets: Object.fromEntries(ethernets) as object }, undefined, 2)}\n`;
}
