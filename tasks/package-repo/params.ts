import { isSecret, Secret, secretText, z } from "../../src/authoring.ts";
import { plainFingerprint } from "../../src/facts/catalogue.ts";
import { waitParam } from "../package/params.ts";

/** A password must not be part of a URL: the list of repositories is a world-readable file, and diffs show it. */
const passwordMessage =
  'a URL without a password or secret: use login: { user: "me", password: secret.env("REPO_PASSWORD") }';

const url = () =>
  z
    .string({
      error: ({ input }) =>
        input instanceof Secret ? passwordMessage : 'a URL, like "https://download.example.org/stable"',
    })
    .regex(
      /^(https?|ftp|mirror\+https?):\/\/\S+$|^file:(\/\/)?\/\S+$|^cdrom:\S+$/,
      'a URL, like "https://download.example.org/stable"',
    )
    .refine((text) => !/^[a-z+]+:\/\/[^/]*:[^/]*@/.test(text) && !isSecret(text), passwordMessage);

const word = (what: string) => z.string({ error: what }).regex(/^[\w./~+:-]+$/, what);
const repoName = 'a short name, like "docker": letters, digits, ".", "_" and "-"';

const key = z
  .union([
    z.strictObject({
      content: z
        .string({ error: "an OpenPGP public key in its armored form" })
        .includes("-----BEGIN PGP PUBLIC KEY BLOCK-----", { error: "an OpenPGP public key in its armored form" })
        .describe("The key itself, armored"),
    }),
    z.strictObject({
      url: url().describe("URL from which the controller fetches the key, if the host does not have it"),
      fingerprint: z
        .string({ error: "40 hex digits" })
        .transform(plainFingerprint)
        .refine((print) => /^[0-9A-F]{40}$/.test(print), "a fingerprint of 40 hex digits, spaces allowed")
        .describe("Fingerprint that the key, or one of its subkeys, must have"),
    }),
  ])
  .optional()
  .describe("The key that signs the repository; default: only keys that the host already trusts");

const userName = 'a user name, like "me", without spaces';
const login = z
  .strictObject({
    user: z
      .string({ error: userName })
      .regex(/^[^\s:#$]+$/, userName)
      .describe("The user name"),
    password: secretText().describe("The password, without spaces: secret.env(…), or another secret"),
  })
  .optional()
  .describe(
    "Login for the repository's server (HTTP basic authentication); the password is kept in its own file, mode 0600, never in the list of repositories",
  );

const common = {
  name: z
    .string({ error: repoName })
    .regex(/^[A-Za-z0-9][\w.-]*$/, repoName)
    .describe(
      "Name of the repository on the host: the name of the repository's file, and the alias that zypper and dnf use",
    ),
  waitSeconds: waitParam(),
};
const present = {
  state: z.literal("present").default("present").describe("Configured on the host"),
  key,
  login,
  ...common,
};
const rpm = {
  ...present,
  url: url().describe("URL of the repository; may contain zypper or dnf variables such as $releasever"),
  enabled: z.boolean({ error: "true or false" }).default(true).describe("Whether the repository is enabled"),
  priority: z
    .int({ error: "a whole number" })
    .min(1)
    .max(99)
    .optional()
    .describe("Priority; a smaller number wins; unchanged if not given"),
  gpgCheck: z.boolean({ error: "true or false" }).default(true).describe("Check signatures (gpgcheck)"),
};

/** Params of `packageRepo`: one object per package manager. */
export const params = z.union([
  z.strictObject({
    manager: z.literal("apt").describe("A repository for apt, as a deb822 file"),
    ...present,
    uris: z.array(url()).min(1).describe("URLs of the repository; the first one that answers is used"),
    suites: z
      .array(word('a suite, like "bookworm" or "./"'))
      .min(1)
      .describe('Suites, like "bookworm-backports"; one that ends in a slash is a flat repository'),
    components: z.array(word('a component, like "main"')).default([]).describe('Components, like "main"'),
    architectures: z.array(word('an architecture, like "amd64"')).optional().describe("Only for these architectures"),
    trusted: z
      .boolean({ error: "true or false" })
      .default(false)
      .describe("Accept an unsigned repository, such as one on the host itself"),
  }),
  z.strictObject({
    manager: z.literal("zypper").describe("A repository for zypper"),
    ...rpm,
    autoRefresh: z
      .boolean({ error: "true or false" })
      .default(true)
      .describe("Let zypper refresh the repository automatically before each installation"),
  }),
  z.strictObject({
    manager: z.literal("dnf").describe("A repository for dnf"),
    ...rpm,
    metadataCheck: z
      .boolean({ error: "true or false" })
      .default(false)
      .describe("Check the signature of the repository's index too (repo_gpgcheck)"),
  }),
  z.strictObject({
    manager: z
      .enum(["apt", "zypper", "dnf"], { error: "one of apt, zypper, dnf" })
      .describe("Package manager that uses the repository"),
    state: z.literal("absent").describe("Not configured on the host; packages from the repository stay installed"),
    ...common,
  }),
]);

/** Parsed params of `packageRepo`. */
export type RepoParams = z.output<typeof params>;
/** The params for a repository that must be configured. */
export type PresentRepo = Extract<RepoParams, { readonly state: "present" }>;
