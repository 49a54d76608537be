import { refuse, seconds, task, z } from "../../src/authoring.ts";
import { askObject, decideOnObject, lookAtObject } from "../cluster-answers/one-object.ts";
import { bundlePath } from "./bundle.ts";
import { objectOf } from "./bundle-fits.ts";
import { bundleState } from "./bundle-state.ts";

/**
 * Waits until a bundle can be downloaded; fails at once, with Harvester's message, if it cannot be generated. Says
 * where it is.
 */
export const bundleReady = task({
  name: "bundleReady",
  summary: "Wait until a support bundle can be downloaded",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    name: z.string().describe("Name of the bundle"),
    address: z.string().describe("The cluster's address; empty if it is unknown"),
    deadlineSeconds: seconds().describe("Seconds after which the wait fails"),
  }),
  examples: [],
  title: ({ name }) => `the support bundle ${name} is ready`,
})
  .facts((p) => ({ bundle: askObject(p.kubeconfig, bundlePath(p.name)) }))
  .want((p, { bundle }) =>
    decideOnObject(bundle, objectOf(p.name), `whether the bundle ${p.name} is ready`, (object) => {
      if (object === undefined)
        return refuse({
          code: "bundle-gone",
          message: `${p.name} does not exist`,
          hint: "Rerun: Harvester deletes a bundle after its download, or if nobody downloads it in time",
        });
      const live = bundleState(object);
      if (live.state === "ready") return {};
      if (live.state === "error")
        return refuse({
          code: "bundle-failed",
          message: `Harvester could not create it: ${live.why}`,
          hint: "Look at the pods whose names begin with supportbundle in harvester-system, then rerun with a different name",
          final: true,
        });
      return refuse({
        code: "not-yet",
        message: `${live.progress} % done`,
        hint: "See the pods whose names begin with supportbundle in harvester-system",
      });
    }),
  )
  .wait((p) => ({
    intervalSeconds: 5,
    deadlineSeconds: p.deadlineSeconds,
    waitsFor: `Harvester to create the bundle ${p.name}`,
  }))
  .notes((p, { bundle }) => {
    const look = lookAtObject(bundle, objectOf(p.name));
    const live = "seen" in look && look.seen !== undefined ? bundleState(look.seen) : undefined;
    if (live?.state !== "ready") return [];
    const size = (live.bytes / 2 ** 20).toFixed(1);
    return [
      ...(p.address === "" ? ["the cluster's address is unknown: put it into the URL"] : []),
      `${live.file} (${size} MiB): https://${p.address || "ADDRESS"}/v1/harvester/supportbundles/${p.name}/download?retain=true`,
      "without retain=true, Harvester deletes the bundle after the download; it also deletes an old bundle after some time",
      "look through the bundle before you share it: it contains logs and definitions of the cluster",
    ];
  });
