export { digitalOcean, type DigitalOceanAct, digitalOceanKeyName, digitalOceanOwner } from "./digitalocean.ts";
export type * from "./values.ts";
