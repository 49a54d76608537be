/**
 * Inventory sources for clouds: `import { ec2Inventory, gceInventory } from "furrow/cloud"`. An SDK is loaded only when
 * a run queries its cloud.
 */
export { ec2Inventory, type Ec2InventoryOptions } from "./ec2/inventory.ts";
export { type Ec2Machine, type Ec2MachineDisk } from "./ec2/machines.ts";
export { gceInventory, type GceGroupKey, type GceInventoryOptions } from "./gce/inventory.ts";
export { type GceMachine } from "./gce/machines.ts";
export { type Guest } from "../drivers/guests/guest.ts";
export { guestInventory, type GuestInventoryOptions } from "../drivers/guests/inventory.ts";
