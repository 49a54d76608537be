import { absolutePath, mode, name, seconds, text, z } from "../../src/authoring.ts";
import type { Checksum } from "./checksum-list.ts";

const web = (): z.ZodType<string, string> =>
  z
    .url({ protocol: /^https?$/, error: 'an http or https URL, like "https://example.org/image.iso"' })
    .refine((url) => !/^[a-z]+:\/\/[^/?#]*@/i.test(url), "a URL without a password in it; use `headers` for that")
    .refine((url) => !/[\s"'\\]/.test(url), "a URL with spaces and quotes percent-encoded");

const value = '"sha256:HEX", "sha512:HEX", { url: "https://…/SHA256SUMS" }, or "none"';

/** Params of `download`. */
export const params = z.strictObject({
  url: web().describe("URL of the file; redirects are followed"),
  path: absolutePath().describe("Absolute path of the file on the host; its directory must exist"),
  checksum: z
    .union(
      [
        z.string().regex(/^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/i, value),
        z.strictObject({
          url: web().describe("URL of a checksum file, as printed by sha256sum, sha512sum or their BSD equivalents"),
          name: z
            .string()
            .min(1)
            .optional()
            .describe("Name of the file in that list; default: the last part of the download's URL"),
        }),
        z.literal("none"),
      ],
      { error: value },
    )
    .describe(
      'Expected content: a digest; a checksum list, which the controller fetches; or "none": any existing file is accepted',
    ),
  mode: mode().optional().describe('Octal mode in quotes; default: that of the replaced file, otherwise "0644"'),
  owner: name("a user", "www-data").optional().describe("Owning user, by name; unchanged if not given"),
  group: name("a group", "www-data").optional().describe("Owning group, by name; unchanged if not given"),
  headers: z
    .record(z.string().regex(/^[A-Za-z0-9-]+$/, 'a header\'s name, like "Authorization"'), text())
    .default({})
    .describe("Headers to send; values may contain secrets. Needs curl on the host"),
  insecure: z.boolean().default(false).describe("Accept any certificate. Safe only with a checksum given as a value"),
  tries: z
    .int("a number of attempts")
    .min(1, "at least one attempt")
    .max(100, "at most 100 attempts")
    .default(5)
    .describe("Number of attempts; each resumes where the previous one stopped"),
  connectTimeoutSeconds: seconds().default(20).describe("Seconds to wait for the connection"),
  stallTimeoutSeconds: seconds().default(60).describe("An attempt fails after this many seconds without data"),
  timeoutSeconds: seconds().default(7200).describe("Time limit in seconds for the whole download"),
});

/** Parsed params. */
export type Params = z.output<typeof params>;

/** Returns the digest if it is given as a value. */
export function givenChecksum({ checksum }: Params): Checksum | undefined {
  if (typeof checksum !== "string" || checksum === "none") return undefined;
  const [algorithm = "", hex = ""] = checksum.toLowerCase().split(":");
  return { algorithm: algorithm as Checksum["algorithm"], hex };
}

/** Returns the name to look up in a checksum list. */
export function listedName({ checksum, url }: Params): string {
  if (typeof checksum !== "string" && checksum.name !== undefined) return checksum.name;
  const last = new URL(url).pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
