import { join } from "node:path";
import type { Tool } from "../tool.ts";

/** The hand-written floor. */
export const floor: Tool = {
  name: "floor",
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
    ],
  }),
  changes: (output) => Number(/^(\d+) changed/m.exec(output)?.[1] ?? Number.NaN),
};
