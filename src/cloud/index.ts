/**
 * Inventory sources for clouds: `import { azureInventory, digitalOceanInventory, ec2Inventory, gceInventory } from
 * "furrow/cloud"`. An SDK is loaded only when a run queries its cloud.
 */
export { type AzureGroupKey, azureInventory, type AzureInventoryOptions } from "./azure/inventory.ts";
export { type AzureMachine } from "./azure/machines.ts";
export {
  type DigitalOceanGroupKey,
  digitalOceanInventory,
  type DigitalOceanInventoryOptions,
} from "./digitalocean/inventory.ts";
export { type DigitalOceanMachine } from "./digitalocean/machines.ts";
export { ec2Inventory, type Ec2InventoryOptions } from "./ec2/inventory.ts";
export { type Ec2Machine, type Ec2MachineDisk } from "./ec2/machines.ts";
export { gceInventory, type GceGroupKey, type GceInventoryOptions } from "./gce/inventory.ts";
export { type GceMachine } from "./gce/machines.ts";
export { type Guest } from "../drivers/guests/guest.ts";
export { guestInventory, type GuestInventoryOptions } from "../drivers/guests/inventory.ts";
