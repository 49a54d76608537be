import { refuse, task, z } from "../../src/authoring.ts";
import { askObject, decideOnObject } from "../cluster-answers/one-object.ts";
import { accountIn, versionPath, versionSetting } from "../identity/answers.ts";

/**
 * The releases whose version of Longhorn causes I/O errors in a guest that trims while a volume is rebuilt
 * (harvester/harvesterhci.io, kb/2024-01-30, "Mitigating filesystem trim Risk"; harvester/harvester#4739).
 */
const affected: ReadonlySet<string> = new Set(["v1.2.0", "v1.2.1", "v1.3.0"]);

const question = "whether this release of Harvester requires its guests to limit trimming";

/** Finds out whether a cluster runs a release on which its guests must not all trim at once. */
export const trimNeeded = task({
  name: "trimNeeded",
  summary: "Find out whether a cluster's release requires its guests to limit trimming",
  params: z.strictObject({ kubeconfig: z.string().describe("The cluster's kubeconfig on the controller") }),
  examples: [],
  title: () => "whether this release requires guests to limit trimming",
})
  .facts((p) => ({ running: askObject(p.kubeconfig, versionPath) }))
  .want((_p, { running }) =>
    decideOnObject(running, versionSetting, question, (setting) =>
      accountIn({ running }).version === undefined
        ? refuse({
            code: "no-release",
            message: `cannot tell ${question}: the version is not a release`,
            current: typeof setting?.["value"] === "string" ? setting["value"] : "no setting server-version",
            expected: "a release such as v1.3.0",
            hint: "Find out which version of Longhorn the cluster runs: v1.5.4, v1.6.1, v1.7.0 and later are safe",
          })
        : {},
    ),
  )
  .steps(() => [])
  .outputs((_p, { running }): boolean => isAffected(accountIn({ running }).version))
  .notes((_p, { running }) => {
    const { version } = accountIn({ running });
    if (version === undefined || isAffected(version)) return [];
    return [`Harvester ${version} is not affected, so the guests are not changed`];
  });

function isAffected(version = ""): boolean {
  // A release candidate has the same version of Longhorn as its release.
  return affected.has(version.split("-")[0] ?? "");
}
