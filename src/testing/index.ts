/** What people test their own tasks with: `import { explain } from "furrow/testing"`. None of it needs a real host. */
export { explain, type Explanation } from "./explain.ts";
export { type KindAnswer, readKind, type ReadKindOptions } from "./read-kind.ts";
