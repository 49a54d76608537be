import { absolutePath, mode, name, seconds, text, z } from "../../src/authoring.ts";
import type { Checksum } from "./checksum-list.ts";

const web = (): z.ZodType<string, string> =>
  z
    .url({ protocol: /^https?$/, error: 'an http or https address, like "https://example.org/image.iso"' })
    .refine((url) => !/^[a-z]+:\/\/[^/?#]*@/i.test(url), "an address without a password in it; put that into `headers`")
    .refine((url) => !/[\s"'\\]/.test(url), "an address with blanks and quotes percent-encoded");

const value = '"sha256:HEX", "sha512:HEX", { url: "https://…/SHA256SUMS" }, or "none"';

/** Params of `download`. */
export const params = z.strictObject({
  url: web().describe("Where the file comes from; redirects are followed"),
  path: absolutePath().describe("Absolute path of the file on the host; its directory must exist"),
  checksum: z
    .union(
      [
        z.string().regex(/^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/i, value),
        z.strictObject({
          url: web().describe("A file of digests, as sha256sum and sha512sum or their BSD kin print them"),
          name: z
            .string()
            .min(1)
            .optional()
            .describe("The name in that file; default: the last part of the download's URL"),
        }),
        z.literal("none"),
      ],
      { error: value },
    )
    .describe(
      'What the content must be: a digest; a list of digests, asked for by the controller; or "none": whatever is there',
    ),
  mode: mode().optional().describe('Octal mode in quotes; default: that of the file replaced, else "0644"'),
  owner: name("a user", "www-data").optional().describe("Owning user, by name; left as it is where not given"),
  group: name("a group", "www-data").optional().describe("Owning group, by name; left as it is where not given"),
  headers: z
    .record(z.string().regex(/^[A-Za-z0-9-]+$/, 'a header\'s name, like "Authorization"'), text())
    .default({})
    .describe("Headers to send; values may hold secrets. Needs curl on the host"),
  insecure: z.boolean().default(false).describe("Accept any certificate. Only with a checksum value is that safe"),
  tries: z
    .int("a number of tries")
    .min(1, "at least one try")
    .max(100, "at most 100 tries")
    .default(5)
    .describe("How often to try, resuming where it broke off"),
  connectTimeoutSeconds: seconds().default(20).describe("Seconds until the server must have answered the connection"),
  stallTimeoutSeconds: seconds().default(60).describe("Seconds without a byte after which a try has failed"),
  timeoutSeconds: seconds().default(7200).describe("Seconds for the whole download"),
});

/** What the task's links see. */
export type Params = z.output<typeof params>;

/** The digest given as a value. */
export function givenChecksum({ checksum }: Params): Checksum | undefined {
  if (typeof checksum !== "string" || checksum === "none") return undefined;
  const [algorithm = "", hex = ""] = checksum.toLowerCase().split(":");
  return { algorithm: algorithm as Checksum["algorithm"], hex };
}

/** The name that a list of digests is searched for. */
export function listedName({ checksum, url }: Params): string {
  if (typeof checksum !== "string" && checksum.name !== undefined) return checksum.name;
  const last = new URL(url).pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
