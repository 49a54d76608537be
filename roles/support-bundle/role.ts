import { role } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { bundleObject, supportBundleSchema } from "./bundle.ts";
import { bundleFits } from "./bundle-fits.ts";
import { bundleReady } from "./bundle-ready.ts";

/** Has Harvester create a support bundle once, waits for it, and says where it can be downloaded. */
export const supportBundle = role(
  {
    name: "support bundle",
    summary: "Create a support bundle of a Harvester cluster, and show where it can be downloaded",
    params: supportBundleSchema,
  },
  ({ kubeconfig, deadlineSeconds, ...bundle }) => {
    const { name, description } = bundle;
    const fits = bundleFits({ kubeconfig, name, description });
    return [
      fits,
      t.kubeObject(
        { kubeconfig, fieldManager: "furrow-support", object: bundleObject(bundle) },
        { when: fits.output.map(({ exists }) => !exists), name: `Harvester creates the support bundle ${name}` },
      ),
      bundleReady(
        fits.output.map(({ address }) => ({ kubeconfig, name, address, deadlineSeconds })),
        { name: `the support bundle ${name} is ready` },
      ),
    ];
  },
);
