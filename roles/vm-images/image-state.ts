import { type KubernetesAnswer, refuse, type Refusal, z } from "../../src/authoring.ts";
import { withoutUrlSecrets } from "../../src/facts/catalogue.ts";
import { decideOnObject } from "../cluster-answers/one-object.ts";

const condition = z.looseObject({
  type: z.string(),
  status: z.enum(["True", "False", "Unknown"]),
  reason: z.string().default(""),
  message: z.string().default(""),
});

const imageSchema = z.looseObject({
  spec: z.looseObject({ url: z.string().default(""), retry: z.int().default(3) }),
  status: z
    .looseObject({
      progress: z.number().default(0),
      failed: z.int().default(0),
      storageClassName: z.string().default(""),
      conditions: z.array(condition).default([]),
    })
    .default({ progress: 0, failed: 0, storageClassName: "", conditions: [] }),
});

/** The storage class for volumes from an image. Its name depends on Harvester's version; empty if unknown. */
export function storageClassOf(image: unknown): string {
  return imageSchema.safeParse(image).data?.status.storageClassName ?? "";
}

/** The kind of an image. */
export const imageKind = { apiVersion: "harvesterhci.io/v1beta1", kind: "VirtualMachineImage" } as const;

/** The namespace and the name of an image. */
export const imagePlace = z.strictObject({
  namespace: z.string().describe("Namespace of the image"),
  name: z.string().describe("Name of the image"),
});

/** The namespace and the name of an image. */
export type ImagePlace = z.output<typeof imagePlace>;

/** `NAMESPACE/NAME`. */
export function idOf({ namespace, name }: ImagePlace): string {
  return `${namespace}/${name}`;
}

/** The path of an image in the API. */
export function imagePath({ namespace, name }: ImagePlace): string {
  return `/apis/${imageKind.apiVersion}/namespaces/${namespace}/virtualmachineimages/${name}`;
}

const notYet = {
  code: "not-imported",
  hint: "Look at the image in the Harvester UI, and check that the cluster can reach the URL",
};

/**
 * Interprets an answer about an image: returns an empty object if it is imported, a refusal while it is not, and a
 * final refusal if it does not exist or its import has failed.
 */
export function imageState({ name }: ImagePlace, answer: KubernetesAnswer): Refusal | object {
  return decideOnObject(answer, { kind: "VirtualMachineImage", name }, "whether the image exists", (object) =>
    object === undefined
      ? refuse({
          code: "no-image",
          message: "the cluster does not have this image",
          hint: "Correct the name, or create the image first with gitops/images",
          final: true,
        })
      : stateOf(object),
  );
}

function stateOf(object: unknown): Refusal | object {
  const read = imageSchema.safeParse(object);
  if (!read.success) return refuse({ ...notYet, message: "the cluster's answer is not an image" });
  const { spec, status } = read.data;
  const find = (type: string): z.output<typeof condition> | undefined =>
    status.conditions.find((one) => one.type === type);
  const imported = find("Imported");
  if (imported?.status === "True") {
    return status.storageClassName === ""
      ? refuse({ ...notYet, message: "the image exists, but Harvester has not reported its storage class" })
      : {};
  }
  const over = find("RetryLimitExceeded");
  // Older versions of Harvester put a fixed sentence into the condition RetryLimitExceeded, and the cause only into the
  // other conditions.
  const causes = [imported, find("Initialized")].flatMap((one) => (one?.status === "False" && one.message) || []);
  const cause = [...new Set(causes)].join("; ") || over?.message;
  if (over?.status === "True" || (imported?.status === "False" && status.failed > spec.retry)) {
    const why = cause || over?.reason || "Harvester gave no reason";
    return refuse({
      code: "import-failed",
      message: withoutUrlSecrets(`Harvester cannot download ${spec.url}: ${why}`),
      hint: "Correct the URL or the checksum and use a different name, or delete the image; Harvester does not retry",
      final: true,
    });
  }
  const trouble = cause || imported?.message || "";
  return refuse({
    ...notYet,
    message: `${status.progress} % downloaded${trouble === "" ? "" : `; ${withoutUrlSecrets(trouble)}`}`,
  });
}
