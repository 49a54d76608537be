export { hostLeader, runInHost } from "./inside.ts";
export type { Lab, LabDisk, LabHost, LabUser } from "./lab.ts";
export { labDown } from "./down.ts";
export { labList, readLab } from "./list.ts";
export { type LabOptions, labUp } from "./up.ts";
export { labRequirements, type LabRequirements } from "./requirements.ts";
export { labStateDir } from "./places.ts";
