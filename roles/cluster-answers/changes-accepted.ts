import { refuse, task, z } from "../../src/authoring.ts";
import { kubernetesTrial } from "../../src/facts/catalogue.ts";
import { askOthers, changeNotes, changeProblem } from "./setting-trial.ts";

const change = z.strictObject({
  name: z.string().describe("The object's name in messages: `Node harvester-2`"),
  path: z.string().describe("The object's path in the API"),
  body: z.json().describe("The merge patch"),
});

/** A merge patch that a later task sends. */
export type LaterChange = z.output<typeof change>;

/**
 * Asks the cluster in dry runs whether it would accept the changes of later tasks, and refuses if it would not accept
 * all of them: the user may have the permission for the first, but not for the last.
 */
export const changesAccepted = task({
  name: "changesAccepted",
  summary: "Refuse changes that the cluster would not accept, before the first of them is made",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    changes: z.array(change).describe("The changes of later tasks"),
  }),
  examples: [],
  title: ({ changes }) => `the cluster accepts changes to ${changes.map(({ name }) => name).join(", ")}`,
})
  .facts((p) => ({
    trials: p.changes.map((one) => kubernetesTrial(p.kubeconfig, { method: "PATCH", ...one })),
  }))
  .facts((p, { trials }) => askOthers(p.kubeconfig, ...trials))
  .want(({ changes }, { trials, others }) => {
    const refused = changes.flatMap(({ name }, index) => changeProblem(name, { trial: trials[index], others }) ?? []);
    const [first] = refused;
    if (first === undefined) return {};
    return refuse({ ...first.reason, message: refused.map(({ reason }) => reason.message).join("; ") });
  })
  .steps(() => [])
  .notes(({ changes }, { trials }) => changes.flatMap(({ name }, index) => changeNotes(name, trials[index])));
