export { gce, type GceChange, gceOwner, gceSeen, type GceSeen } from "./gce.ts";
export { canNest } from "./nesting.ts";
export { type GceInstanceInZone, gceInstancesNamed, type GcePart, gcePartsOf } from "./named.ts";
export type * from "./values.ts";
export {
  gceEffectiveFirewalls,
  type GceEffectiveFirewalls,
  type GceEffectivePolicy,
  type GceEffectiveRule,
  type GceNat,
  gceNats,
  type GceNats,
} from "./way.ts";
export {
  gceLoginProfile,
  type GceLoginProfile,
  gceLoginRole,
  type GceLoginRole,
  type GceOsLogin,
  gceOsLoginOn,
  gceOsLoginPolicy,
  type GceOsLoginPolicy,
  registerLoginKey,
  removeLoginKey,
} from "./os-login.ts";
