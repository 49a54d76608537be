import { type Actor, read } from "./actors.ts";

interface Bundles {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly spec: { readonly description: string };
    readonly status?: { readonly state: string };
  }[];
}
/**
 * Harvester's controller of support bundles (pkg/controller/master/supportbundle/controller.go): a bundle is generated,
 * then ready; a bundle whose description contains "broken" fails.
 */
export const bundleController: Actor = (server) => {
  const { items } = read(server, "--namespace=harvester-system", "supportbundles") as Bundles;
  for (const { metadata, spec, status } of items) {
    if (status?.state === "ready" || status?.state === "error") continue;
    const message = "fail to generate supportbundle: timeout";
    const failed = { state: "error", conditions: [{ type: "Initialized", status: "False", message }] };
    const ready = {
      state: "ready",
      progress: 100,
      filename: `supportbundle_${metadata.name}.zip`,
      filesize: 1_048_576,
    };
    const last = spec.description.includes("broken") ? failed : ready;
    const next = status === undefined ? { state: "generating", progress: 10 } : last;
    const change = `--patch=${JSON.stringify({ status: next })}`;
    server.kubectl(["--namespace=harvester-system", "patch", "supportbundle", metadata.name, "--type=merge", change]);
  }
};
