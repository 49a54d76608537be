import { type Secret, seconds, text, z } from "../../src/authoring.ts";
import { hideKubeSecret, kubePart, kubeSecretProblem } from "../../src/facts/catalogue.ts";

const managerForm = 'a name of letters, digits, dots and dashes, like "shop"';

/** The params of all Kubernetes tasks. */
export const shared = {
  /** The kubeconfig on the controller. */
  kubeconfig: () =>
    z
      .string({ error: 'a path, like "harvester.kubeconfig"' })
      .min(1, 'a path, like "harvester.kubeconfig"')
      .describe("Kubeconfig on the controller"),
  /** A context in the kubeconfig. */
  context: () =>
    z
      .string({ error: 'the name of a context, like "staging"' })
      .min(1, 'the name of a context, like "staging"')
      .optional()
      .describe("Context in the kubeconfig; default: its current context"),
  /** The version of a kind. */
  apiVersion: () =>
    z.string({ error: apiVersionForm }).regex(/^([a-z0-9]([a-z0-9.-]*[a-z0-9])?\/)?v[0-9][a-z0-9]*$/, apiVersionForm),
  /** A kind of object. */
  kind: () => z.string({ error: kindForm }).regex(/^[A-Z][A-Za-z0-9]*$/, kindForm),
  /** The name of an object. */
  name: () =>
    z
      .string({ error: nameForm })
      .regex(/^[^/%\s]+$/, nameForm)
      .max(253, "a name of at most 253 characters")
      .refine((name) => name !== "." && name !== "..", nameForm),
  /** The name of a namespace. */
  namespace: () =>
    z
      .string({ error: namespaceForm })
      .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/, namespaceForm)
      .max(63, "a namespace of at most 63 characters"),
} as const;

/** Params of a task that applies objects: the cluster, the manager of the fields, and whether the objects exist. */
export const applying = {
  kubeconfig: shared.kubeconfig(),
  context: shared.context(),
  fieldManager: z
    .string({ error: managerForm })
    .regex(/^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/, managerForm)
    .max(128, "a name of at most 128 characters")
    .describe(
      "Name under which the server records which fields are furrow's: use one name per playbook, and never change it",
    ),
  force: z
    .boolean()
    .default(false)
    .describe("Take over fields that other managers own; with state absent, delete an object that others own"),
  state: z.enum(["present", "absent"]).default("present").describe("Whether the object exists"),
  deleteContents: z
    .boolean()
    .default(false)
    .describe(
      "With state absent: also delete the contents of the namespace, all objects of the kind, or the object's volumes",
    ),
  deadlineSeconds: seconds()
    .default(120)
    .describe(
      "Time limit in seconds for the deletion or, with state present, until the cluster's webhooks can be called",
    ),
} as const;

const apiVersionForm = 'an API version, like "v1" or "apps/v1"';
const kindForm = 'a kind, like "ConfigMap"';
const nameForm = 'the name of an object, like "web"';
const namespaceForm = 'the name of a namespace, like "shop"';

/** A part of an object: JSON data whose strings may be secret. */
type Part = string | number | boolean | null | Secret | readonly Part[] | { readonly [key: string]: Part };

/** JSON data whose strings may be or contain secrets. zod would silently drop a key `__proto__`. */
const part: z.ZodType<unknown, Part> = kubePart(
  z.lazy(() =>
    z
      .custom<Part>((value) => !hasOwnProto(value), {
        error: "data without the key __proto__, which furrow cannot send",
      })
      .pipe(
        z.union([text(), z.number(), z.boolean(), z.null(), z.array(part), z.record(z.string(), part)], {
          error: "JSON data: strings, numbers, booleans, null, arrays and objects",
        }),
      ),
  ),
);

function hasOwnProto(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, "__proto__");
}

const served = ["managedFields", "resourceVersion", "uid", "creationTimestamp", "generation", "selfLink"];

const metadata = (rest: z.ZodType<unknown, Part>) =>
  z
    .object({
      name: shared.name().describe("Name of the object"),
      namespace: shared.namespace().optional().describe("Namespace; required for a namespaced kind"),
    })
    .catchall(rest)
    .superRefine((own, context) => {
      for (const name of served.filter((one) => one in own)) {
        context.addIssue({ code: "custom", path: [name], message: "nothing: the server sets this field itself" });
      }
    });

/**
 * A Kubernetes object: its type, its name, and the fields that it must have. `rest` is the schema of all fields other
 * than the type, the name and the namespace. If the caller's parser already guarantees JSON, the caller passes a schema
 * that checks nothing: checking a large manifest again would take a tenth of the task's time.
 */
export const object = (rest: z.ZodType<unknown, Part> = part) =>
  z
    .object({
      apiVersion: shared.apiVersion().describe("API version of the kind: `v1`, `apps/v1`"),
      kind: shared.kind().describe("Kind of object"),
      metadata: metadata(rest),
    })
    .catchall(rest)
    .superRefine((own, context) => {
      if (own.kind === "Secret" && "stringData" in own) {
        context.addIssue({ code: "custom", path: ["stringData"], message: noStringData });
      }
      const problem = kubeSecretProblem(own);
      if (problem !== undefined) context.addIssue({ code: "custom", path: problem.path, message: problem.expected });
    })
    // No output shows the values of a Secret, however they were given.
    .transform(hideKubeSecret);

const noStringData =
  'data with values in base64, like secret.env("PASSWORD").map((text) => Buffer.from(text).toString("base64"))';
