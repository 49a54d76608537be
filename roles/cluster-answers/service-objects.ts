import { z } from "../../src/authoring.ts";

const name = z.string().min(1);

/** A service. Only a headless service or an ExternalName has no address. */
export const serviceSchema = z
  .looseObject({
    metadata: z.looseObject({ name, namespace: name }),
    spec: z.looseObject({
      type: z.enum(["ClusterIP", "NodePort", "LoadBalancer", "ExternalName"]),
      clusterIP: z.string().optional(),
      clusterIPs: z.array(z.string()).default([]),
    }),
  })
  .refine(({ spec: { type, clusterIP } }) => type === "ExternalName" || (clusterIP ?? "") !== "", {
    path: ["spec", "clusterIP"],
    message: "no address, although it is not an ExternalName",
  })
  .transform(({ metadata: { namespace, name: own }, spec: { clusterIP, clusterIPs } }) => ({
    name: `${namespace}/${own}`,
    addresses: [...new Set([clusterIP ?? "None", ...clusterIPs])].filter((one) => one !== "None" && one !== ""),
  }));
