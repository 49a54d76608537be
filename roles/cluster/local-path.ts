import { z } from "../../src/authoring.ts";

/** A path on the controller, which is shown in messages and handed to other programs. */
export const localPath = (): z.ZodType<string, string> =>
  z
    .string({ error: "a path on the controller" })
    .regex(/^\P{Cc}+$/u, "a path without line breaks, NULs or other control characters");
