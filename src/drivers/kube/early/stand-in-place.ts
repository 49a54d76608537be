import { kubeName, type KubeProblem } from "../../../facts/controller/kube-object.ts";
import { messageOf } from "../../kubernetes-exchange.ts";
import type { Cluster } from "../cluster.ts";
import { pathOf, type Resource } from "../discovery.ts";
import { denialOf, problemOf } from "../failures.ts";
import { withUnfitValues } from "../mistakes/unfit-values.ts";
import { revealed, type Sent } from "../view.ts";

/** A namespace that every cluster has. */
const standIn = "default";

/** Messages about the place of an object or about a cluster's own policies, which may exempt a namespace. */
const aboutPlace = /does not support dry ?run|(?:^|[\s.])namespace\b|ValidatingAdmissionPolicy/i;

/**
 * Asks the server whether an object would be valid if its namespace existed. The server validates the object in another
 * namespace and stores nothing. Only an answer about the object itself counts; for any other answer, `unasked` says why
 * the object is not known to be valid.
 */
export async function checkElsewhere(
  cluster: Cluster,
  resource: Resource,
  { object, fieldManager }: Sent,
): Promise<{ readonly problem?: KubeProblem; readonly unasked?: string }> {
  const options = `fieldManager=${encodeURIComponent(fieldManager)}&fieldValidation=Strict&dryRun=All`;
  const answer = await cluster.ask(
    {
      method: "POST",
      path: `${pathOf(object.apiVersion, resource, undefined, standIn)}?${options}`,
      body: revealed({ ...object, metadata: { ...object.metadata, namespace: standIn } }),
    },
    `ask whether ${kubeName(object)} is valid`,
  );
  // The server validates an object before it looks for another one with the same name.
  if (answer.status === 201 || answer.status === 409) return {};
  const isJudged = answer.status === 400 || answer.status === 422;
  const message = messageOf(answer.body);
  const problem =
    isJudged && !aboutPlace.test(message) && denialOf(answer, "") === undefined
      ? problemOf(answer, kubeName(object))
      : undefined;
  if (problem !== undefined) return { problem: withUnfitValues(object, problem) };
  const { namespace = "" } = object.metadata;
  return {
    unasked: `the namespace ${namespace} does not exist yet, and a dry run in ${standIn} fails with HTTP ${answer.status}: ${message}`,
  };
}
