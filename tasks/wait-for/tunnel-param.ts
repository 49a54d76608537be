import { z } from "../../src/authoring.ts";

const word = (expected: string) => z.string({ error: expected }).regex(/^[\w.:-]+$/, expected);

/** A tunnel to a machine, as in an inventory, except that the machine must always be given. */
export const tunnelParam = z.union(
  [
    z.strictObject({
      sessionManager: z.strictObject({
        instance: z
          .string()
          .regex(/^m?i-[0-9a-f]+$/, 'an instance id, like "i-0123456789abcdef0"')
          .describe("Id of the instance"),
        region: word('a region, like "eu-central-1"').optional().describe("Region; default: that of the `aws` program"),
      }),
    }),
    z.strictObject({
      iap: z.strictObject({
        instance: word("an instance's name").describe("Name of the instance"),
        project: word("a project's id").describe("Id of the project"),
        zone: word('a zone, like "europe-west3-a"').describe("Zone of the instance"),
      }),
    }),
  ],
  { error: "{ sessionManager: { instance } } or { iap: { instance, project, zone } }" },
);
