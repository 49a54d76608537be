import { join } from "node:path";
import type { Tool } from "../tool.ts";

const floorTool = (name: string, ...flags: readonly string[]): Tool => ({
  name,
  packages: [],
  slow: false,
  program: ({ plan, check, targets, tree, big }) => ({
    argv: [
      process.execPath,
      join(import.meta.dirname, "floor.ts"),
      plan,
      targets.file,
      plan === "tree" ? tree : big,
      ...(check ? ["--check"] : []),
      ...flags,
    ],
  }),
  changes: (output) => Number(/^(\d+) changed/m.exec(output)?.[1] ?? Number.NaN),
});

/** The hand-written floor. */
export const floor: Tool = floorTool("floor");

/** The floor with furrow's handshake: it differs from furrow only in the work that it does. */
export const pipelinedFloor: Tool = floorTool("floor-pipelined", "--pipelined");
