import { type Refusal, refuse, task, z } from "../../src/authoring.ts";
import { askObject, decideOnObject, lookAtObject } from "../cluster-answers/one-object.ts";
import { vipIn, vipPath } from "../cluster-answers/vip.ts";
import { bundleNamespace, bundlePath } from "./bundle.ts";
import { bundleState } from "./bundle-state.ts";

const params = z.strictObject({
  kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
  name: z.string().describe("Name of the bundle"),
  description: z.string().describe("Purpose of the bundle"),
});

/**
 * Refuses a bundle if an existing bundle with its name has failed, has a different purpose, or is being deleted.
 * Outputs whether the bundle exists, and the cluster's address, which is empty if unknown.
 */
export const bundleFits = task({
  name: "bundleFits",
  summary: "Find out whether a support bundle exists, and refuse it if its name is taken",
  params,
  examples: [],
  title: ({ name }) => `the support bundle ${name} can be created`,
})
  .facts((p) => ({ bundle: askObject(p.kubeconfig, bundlePath(p.name)), vip: askObject(p.kubeconfig, vipPath) }))
  .want((p, { bundle }) =>
    decideOnObject(bundle, objectOf(p.name), `whether the bundle ${p.name} exists`, (object) =>
      object === undefined ? {} : (problemOf(p, object) ?? {}),
    ),
  )
  .steps(() => [])
  .outputs((p, { bundle, vip }) => {
    const look = lookAtObject(bundle, objectOf(p.name));
    return { exists: "seen" in look && look.seen !== undefined, address: vipIn(vip) ?? "" };
  });

/** The bundle in the form of the API. */
export function objectOf(name: string) {
  return { kind: "SupportBundle", name };
}

function problemOf({ name, description }: z.output<typeof params>, object: unknown): Refusal | undefined {
  const live = bundleState(object);
  const over = (message: string, hint: string): Refusal => refuse({ code: "bundle-exists", message, hint });
  if (live.isDeleted)
    return over(`the bundle ${name} is being deleted`, "Rerun after it has been deleted, or choose another name");
  if (live.state === "error")
    return over(
      `the bundle ${name} exists, but Harvester could not create it: ${live.why}`,
      `Fix the cause, then choose another name, or run kubectl -n ${bundleNamespace} delete supportbundle ${name}`,
    );
  if (live.description !== description)
    return over(
      `the bundle ${name} exists, but is for something else: ${JSON.stringify(live.description)}`,
      "Choose another name",
    );
  return undefined;
}
