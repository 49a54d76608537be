import { text, z } from "../../src/authoring.ts";
import { kubePart, type KubeManifestSource } from "../../src/facts/catalogue.ts";
import { applying, shared } from "../kube-object/params.ts";

const common = {
  ...applying,
  state: applying.state.describe("Whether the objects exist"),
  deleteContents: applying.deleteContents.describe(
    "With state absent: also delete other objects in a namespace of the manifest, or of a kind that it defines",
  ),
  deadlineSeconds: applying.deadlineSeconds.describe(
    "Time limit in seconds for each object: for its deletion or, with state present, until the cluster's webhooks can be called",
  ),
  namespace: shared.namespace().optional().describe("Namespace for namespaced objects that do not specify one"),
};

const checksumForm = '"sha256:HEX", as printed by sha256sum';

/** Params of `kubeManifest`. */
export const params = z.union(
  [
    z.strictObject({
      path: z
        .string({ error: 'a path on the controller, like "manifests/shop.yaml"' })
        .min(1, 'a path on the controller, like "manifests/shop.yaml"')
        .describe(
          "File on the controller, or a directory whose `*.yaml`, `*.yml` and `*.json` files are read, sorted by name",
        ),
      recursive: z.boolean().default(false).describe("Also read the subdirectories of a directory"),
      ...common,
    }),
    z.strictObject({
      text: kubePart(text()).describe("Text of the manifest, whose values may be or contain secrets"),
      ...common,
    }),
    z.strictObject({
      url: z
        .url({ protocol: /^https$/, error: 'an https URL, like "https://example.org/shop.yaml"' })
        .refine((url) => !/^[a-z]+:\/\/[^/?#]*@/i.test(url), "a URL without a password in it")
        .describe("URL of the manifest, which the controller downloads; redirects are followed"),
      checksum: z
        .string({ error: checksumForm })
        .regex(/^sha256:[0-9a-f]{64}$/i, checksumForm)
        .describe("SHA-256 that the content must have: `sha256:HEX`"),
      ...common,
    }),
  ],
  { error: "one of `path`, `text` and `url`" },
);

/** Parsed params. */
export type Params = z.output<typeof params>;

/** The manifest's name in titles. */
export function nameOf(p: Params): string {
  return "path" in p ? p.path : "url" in p ? p.url : "text";
}

/** Where the manifest is. */
export function sourceOf(p: Params): KubeManifestSource {
  if ("path" in p) return { path: p.path, recursive: p.recursive };
  if ("text" in p) return { text: p.text };
  return { url: p.url, sha256: p.checksum.toLowerCase().replace(/^sha256:/, "") };
}
