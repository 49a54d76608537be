/** A virtual machine of the fake, with its interface and its addresses. */
export interface FakeMachine {
  readonly name: string;
  /** The machine's resource group, in lower case. */
  readonly group: string;
  readonly size: string;
  /** running, deallocated, … */
  state: string;
  /** The public address; empty if the machine has none. */
  readonly address: string;
  readonly privateAddress: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly luns: readonly number[];
}

const subscription = "/subscriptions/00000000-0000-4000-8000-000000000001";
const idOf = (group: string, path: string): string => `${subscription}/resourceGroups/${group}/providers/${path}`;
const cardId = ({ group, name }: FakeMachine): string => idOf(group, `Microsoft.Network/networkInterfaces/${name}-nic`);
const addressId = ({ group, name }: FakeMachine): string =>
  idOf(group, `Microsoft.Network/publicIPAddresses/${name}-ip`);

/** A machine as in VirtualMachine; in some ids, Azure returns the resource group's name in capital letters. */
export function machineView(machine: FakeMachine): object {
  const { name, group, size, tags, luns } = machine;
  return {
    id: idOf(group.toUpperCase(), `Microsoft.Compute/virtualMachines/${name}`),
    name,
    type: "Microsoft.Compute/virtualMachines",
    location: "westeurope",
    tags,
    properties: {
      vmId: `id-of-${name}`,
      hardwareProfile: { vmSize: size },
      storageProfile: { dataDisks: luns.map((lun) => ({ lun, name: `${name}-${lun}`, createOption: "Attach" })) },
      osProfile: { computerName: name, adminUsername: "azureuser" },
      networkProfile: {
        networkInterfaces: [
          { id: idOf(group, "Microsoft.Network/networkInterfaces/second"), properties: { primary: false } },
          { id: cardId(machine), properties: { primary: true } },
        ],
      },
      provisioningState: "Succeeded",
    },
  };
}

/** An interface as in NetworkInterface: it has an IPv6 address too, which furrow does not use. */
export function interfaceView(machine: FakeMachine): object {
  const { name, privateAddress, address } = machine;
  const four = {
    privateIPAddress: privateAddress,
    privateIPAddressVersion: "IPv4",
    primary: true,
    ...(address !== "" && { publicIPAddress: { id: addressId(machine) } }),
  };
  const six = { privateIPAddress: "fd00::5", privateIPAddressVersion: "IPv6", primary: false };
  return {
    id: cardId(machine),
    name: `${name}-nic`,
    location: "westeurope",
    properties: {
      ipConfigurations: [
        { name: "six", properties: six },
        { name: "four", properties: four },
      ],
    },
  };
}

/** A public address as in PublicIPAddress. */
export function addressView(machine: FakeMachine): object {
  const { name, address } = machine;
  return { id: addressId(machine), name: `${name}-ip`, location: "westeurope", properties: { ipAddress: address } };
}
