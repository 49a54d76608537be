import { z } from "zod";
import { FurrowError } from "../core/errors.ts";
import { jsonSchema } from "./values.ts";

/** The version of the format. It is increased whenever a field is removed or its meaning changes. */
export const fieldVersion = 1;

const factValues = z
  .record(z.string().regex(/^[A-Za-z][\w-]*:/, "a fact id, like file:/etc/fstab"), jsonSchema)
  .describe("The host's values by fact id, redacted");

const origin = z.discriminatedUnion("how", [
  z.strictObject({ how: z.literal("recorded").describe("Read on a real host by furrow doctor") }),
  z.strictObject({
    how: z.literal("composed").describe("Written without a host, from published information"),
    from: z.array(z.string().min(1)).min(1).describe("The sources"),
  }),
]);

/** The schema of a field report: the state, on one host, of everything that a playbook's roles depend on. */
export const fieldReportSchema = z.strictObject({
  fieldReport: z.literal(fieldVersion),
  furrow: z.string().min(1).describe("The version of furrow that wrote the file"),
  subject: z.string().regex(/^[a-z][a-z0-9-]*$/, "the name of a playbook in playbooks/"),
  origin,
  host: z.strictObject({ name: z.string().min(1), address: z.string().min(1), groups: z.array(z.string()) }),
  vars: z.record(z.string(), jsonSchema).describe("The host's vars; secrets are `{ symbol: secret }`"),
  leftOut: z.array(z.string()).describe("Vars and kinds of facts that were not written into the file"),
  facts: factValues,
  answers: factValues.describe("The controller's answers, by driver and request"),
  unread: z.record(z.string(), z.string()).describe("Facts that could not be read, each with the code of the error"),
});

/** The state, on one host, of everything that a playbook's roles depend on. */
export type FieldReport = z.output<typeof fieldReportSchema>;

/** Returns the text of a report's file. */
export function reportText(report: FieldReport): string {
  return `${JSON.stringify(fieldReportSchema.parse(report), undefined, 2)}\n`;
}

/** Reads the text of a report's file. Throws FurrowError E_FILE if it is not a field report of this version. */
export function parseReport(text: string, path: string): FieldReport {
  const wrong = (current: string): FurrowError =>
    new FurrowError("E_FILE", {
      what: `${path} is not a field report that this version of furrow can read`,
      current,
      expected: `the JSON that furrow doctor writes (version ${fieldVersion})`,
      hint: "Write the report again with this version's furrow doctor",
    });
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw wrong((error as Error).message);
  }
  const parsed = fieldReportSchema.safeParse(data);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw wrong(`${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`);
}
