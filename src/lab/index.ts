export { hostLeader, runInHost } from "./inside.ts";
export type { Lab, LabDisk, LabHost, LabUser } from "./lab.ts";
export { labDown } from "./down.ts";
export { labList, readLab } from "./list.ts";
export type { LabOptions } from "./options.ts";
export { labUp } from "./up.ts";
export { freshDisk, removeDisk } from "./disks.ts";
export { labRequirements, type LabRequirements } from "./requirements.ts";
export { labStateDir } from "./places.ts";
