export { gce, type GceChange, gceOwner } from "./gce.ts";
export { canNest } from "./nesting.ts";
export type * from "./values.ts";
