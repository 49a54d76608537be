import { planOfFiles } from "./files.ts";
import { one, tenDirectories, tenFiles } from "./things.ts";

/** The plan of one object. */
export const onePlan = planOfFiles("one", [], [one]);

/** The plan of ten objects, for many hosts. */
export const tenPlan = planOfFiles("ten", tenDirectories, tenFiles);
