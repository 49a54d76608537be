import { absent, file, knownAfterApply, peek, refuse, type Refusal, task, z } from "../../src/authoring.ts";
import { acceptKubeconfig, filtered, kubeconfigFile, sealedLocalFile } from "../../src/facts/catalogue.ts";
import { localPath } from "../cluster/local-path.ts";
import { publicAddress } from "../cluster/public-address.ts";
import { foreignIn, foreignKubeconfig } from "../identity/foreign-kubeconfig.ts";

/** The path of RKE2's administrator kubeconfig. */
export const rke2Kubeconfig = "/etc/rancher/rke2/rke2.yaml";

/** A name that the certificate of every node contains. */
const serverName = "kubernetes";

const params = z.strictObject({
  to: localPath().describe("The kubeconfig on the controller"),
  publicAddress: publicAddress().describe("Address at which the controller reaches the cluster"),
  awaited: z
    .boolean()
    .default(false)
    .describe(
      "An earlier task waits for the node's file, so it can be missing only in check mode, which does not wait",
    ),
});

type Params = z.output<typeof params>;

/**
 * Keeps a copy of a node's kubeconfig on the controller. In the copy, the cluster's server is at the host's public
 * address. The node's file replaces the copy only if it is self-contained and names this server: a node must not choose
 * what runs on the controller, which of the controller's files are sent, or to which server.
 */
export const nodeKubeconfig = task({
  name: "nodeKubeconfig",
  summary: "Copy a node's kubeconfig to the controller if the file can do nothing but log in to its cluster",
  params,
  examples: [],
  title: ({ to }) => `kubeconfig ${to}`,
  disturbs: () => [],
})
  .facts((p) => ({
    path: file(rke2Kubeconfig, []),
    made: filtered(rke2Kubeconfig, through(p), { secret: true }),
    copy: sealedLocalFile(p.to),
  }))
  // A copy of another cluster's kubeconfig is refused only once the node's file has arrived: until then, the authority
  // of this cluster is unknown.
  .facts((p, now) => ({ ...(isKept(now) && { kept: kubeconfigFile(p.to, reachedAt(p)) }) }))
  .want((p, now) => {
    // The content is not known yet, but if the controller has no copy, the run will create one.
    if (isToCome(p, now) && peek(now, "copy") === absent)
      return { copy: { seal: knownAfterApply as unknown as string, mode } };
    const { path, made, kept } = now;
    if (path === absent || made === absent) return noFile();
    const foreign = foreignIn(kept);
    if (foreign !== undefined) return foreignKubeconfig(p.to, foreign);
    return { copy: { seal: (made as { readonly seal: string }).seal, mode } };
  })
  .steps((p) => {
    const fetched = `${p.to}.unchecked`;
    return [
      {
        step: "fetch",
        path: rke2Kubeconfig,
        to: fetched,
        mode,
        maxBytes: 1_048_576,
        through: through(p),
        secret: true,
      },
      acceptKubeconfig(fetched, p.to, reachedAt(p)),
    ];
  });

const mode = "0600";

/** True if the file may still appear: its fact is unknown, or check mode has not waited for the file. */
function isToCome({ awaited }: Params, now: { readonly path: unknown }): boolean {
  const path = peek(now, "path");
  return path === knownAfterApply || (awaited && path === absent);
}

/** True if the copy has the content that the node would send. */
function isKept(now: { readonly made: unknown; readonly copy: unknown }): boolean {
  const [made, copy] = [peek(now, "made"), peek(now, "copy")].map((one) =>
    typeof one === "object" && one !== null ? peek(one as { seal?: unknown }, "seal") : undefined,
  );
  return typeof made === "string" && made === copy;
}

const through = ({ publicAddress }: Params): string[] => ["sed", "-e", serverEdit(publicAddress)];

function reachedAt({ publicAddress }: Params): { server: string; serverName: string } {
  return { server: serverAt(publicAddress), serverName };
}

function serverAt(publicAddress: string): string {
  return `https://${publicAddress.includes(":") ? `[${publicAddress}]` : publicAddress}:6443`;
}

/**
 * Returns a sed command that sets the server to the host's public address. The certificate is still verified, against a
 * name that every node's certificate contains. RKE2 writes `server: https://127.0.0.1:6443`. A file in a different
 * style keeps its server, so it is not accepted.
 */
export function serverEdit(publicAddress: string): string {
  return String.raw`s|^\( *\)server: https://.*$|\1server: ${serverAt(publicAddress)}\n\1tls-server-name: ${serverName}|`;
}

function noFile(): Refusal {
  return refuse({
    code: "no-file",
    message: `${rke2Kubeconfig} does not exist on the node`,
    hint: "Wait until the node is in its cluster, and rerun",
  });
}
