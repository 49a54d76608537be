import { planOfFiles } from "./files.ts";
import { one, tenDirectories, tenFiles } from "./things.ts";

/** The plan for one object. */
export const onePlan = planOfFiles("one", [], [one]);

/** The plan for ten objects, used with many hosts. */
export const tenPlan = planOfFiles("ten", tenDirectories, tenFiles);
