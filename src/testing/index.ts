/**
 * The entry point for people who test their own tasks: `import { explain } from "furrow/testing"`. Nothing here needs a
 * real host.
 */
export { type Case } from "./case.ts";
export { contractOf, type ContractOptions } from "./contract.ts";
export { explain, type Explanation } from "./explain.ts";
export { simulate, type SimulatedHostEntry, type SimulateOptions, type Simulation } from "./simulate.ts";
export { type SimulatedTask } from "./simulated-tasks.ts";
export { type SimulatedState } from "./simulated-world.ts";
export { type KindAnswer, readKind, type ReadKindOptions } from "./read-kind.ts";
export { type FieldReport, parseReport } from "../field/format.ts";
export { replay, type Replay, type ReplayOptions } from "./replay.ts";
