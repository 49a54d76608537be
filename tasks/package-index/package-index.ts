import { absent, task, z } from "../../src/authoring.ts";
import { freshIndex, isFresh, packageIndexState, packageManager } from "../../src/facts/catalogue.ts";
import { noManager } from "../package/obstacle.ts";
import { managerParam, waitParam } from "../package/params.ts";
import { transaction } from "../package/transaction.ts";

/** Keeps the host's package index no older than a given age, and complete for all repositories. */
export const packageIndex = task({
  name: "packageIndex",
  summary: "Fetch the package index if it is missing, outdated or old",
  params: z.strictObject({
    maxAgeSeconds: z
      .number({ error: "a number of seconds" })
      .min(60, "at least 60 seconds: a newer index is treated as fresh")
      .max(31_536_000, "at most a year")
      .default(3600)
      .describe(
        "Fetch the index again if it is older than this, in seconds; it is always fetched if the list of repositories changed",
      ),
    manager: managerParam(),
    waitSeconds: waitParam(),
  }),
  examples: [{}, { maxAgeSeconds: 86_400 }],
  title: () => "package index",
  cannotPredict: "which packages the repositories offer once the index is fetched: later tasks depend on this one.",
  disturbs: () => ["packageIndex:**", "packageOffer:**", "packagePlan:**", "file:/var/**"],
})
  .facts((p) => ({ manager: packageManager(), index: packageIndexState(p.manager) }))
  .want((p, { manager, index }) => {
    if (p.manager === undefined && manager === absent) return noManager();
    return { index: isFresh(index, p.maxAgeSeconds) ? {} : freshIndex };
  })
  .steps((p, { now }) => {
    const manager = p.manager ?? (now.manager === absent ? undefined : now.manager.name);
    if (manager === undefined) return [];
    const label = `fetch the package index with ${manager}`;
    return [transaction({ manager, action: "refresh", waitSeconds: p.waitSeconds, label })];
  });
