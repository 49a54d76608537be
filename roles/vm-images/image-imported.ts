import { refuse, type Refusal, seconds, task, z } from "../../src/authoring.ts";
import { askObject, decideOnObject } from "../cluster-answers/one-object.ts";

const condition = z.looseObject({
  type: z.string(),
  status: z.enum(["True", "False", "Unknown"]),
  reason: z.string().default(""),
  message: z.string().default(""),
});

const imageSchema = z.looseObject({
  spec: z.looseObject({ url: z.string().default("") }),
  status: z
    .looseObject({
      progress: z.number().default(0),
      storageClassName: z.string().default(""),
      conditions: z.array(condition).default([]),
    })
    .default({ progress: 0, storageClassName: "", conditions: [] }),
});

/** Waits until Harvester has an image, and says how far it is, or why it has given up. */
export const imageImported = task({
  name: "imageImported",
  summary: "Wait until Harvester has downloaded an image",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    name: z.string().describe("Name of the image"),
    namespace: z.string().describe("Its namespace"),
    intervalSeconds: seconds().default(5).describe("Seconds between two checks"),
    deadlineSeconds: seconds().default(3600).describe("Seconds after which the wait fails"),
  }),
  examples: [],
  title: ({ namespace, name }) => `the image ${namespace}/${name} is in the cluster`,
})
  .facts((p) => ({ image: askObject(p.kubeconfig, imagePath(p)) }))
  .want((p, { image }) =>
    decideOnObject(image, { kind: "VirtualMachineImage", name: p.name }, "how far the download is", (object) =>
      object === undefined ? refuse({ ...notYet, message: "the cluster does not have the image" }) : imageState(object),
    ),
  )
  .wait((p) => ({
    intervalSeconds: p.intervalSeconds,
    deadlineSeconds: p.deadlineSeconds,
    waitsFor: `Harvester to download ${p.namespace}/${p.name}`,
  }));

/** The storage class that makes volumes from an image. Harvester's versions name it differently; empty if unknown. */
export function storageClassOf(image: unknown): string {
  return imageSchema.safeParse(image).data?.status.storageClassName ?? "";
}

/** The path of an image in the API. */
export function imagePath({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `/apis/harvesterhci.io/v1beta1/namespaces/${namespace}/virtualmachineimages/${name}`;
}

const notYet = {
  code: "not-imported",
  hint: "See the image in Harvester's pages, and whether the cluster reaches the URL",
};

/** What an image's state means: nothing if it is there, a refusal while it is not, a final one if it will never be. */
export function imageState(object: unknown): Refusal | object {
  const read = imageSchema.safeParse(object);
  if (!read.success) return refuse({ ...notYet, message: "the cluster's answer is not an image" });
  const { spec, status } = read.data;
  const find = (type: string): z.output<typeof condition> | undefined =>
    status.conditions.find((one) => one.type === type);
  const imported = find("Imported");
  if (imported?.status === "True") {
    return status.storageClassName === ""
      ? refuse({ ...notYet, message: "the image is there, but Harvester has not named its storage class" })
      : {};
  }
  const over = find("RetryLimitExceeded");
  if (over?.status === "True") {
    const why = over.message || over.reason || imported?.message || "Harvester does not say why";
    return refuse({
      code: "import-failed",
      message: `Harvester cannot download ${spec.url}: ${why}`,
      hint: "Correct the URL or the checksum under another name, or delete the image; Harvester does not try again",
      final: true,
    });
  }
  const trouble = over?.message || imported?.message || "";
  return refuse({ ...notYet, message: `${status.progress} % are downloaded${trouble === "" ? "" : `; ${trouble}`}` });
}
