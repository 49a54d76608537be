import { isRecord } from "../../../core/facts/symbols.ts";
import { askApi } from "./other-apis.ts";
import { recordsIn } from "./planned-call.ts";

/**
 * The conditional bindings that may grant permissions missing on the project, or the reason why the bindings could not
 * be determined.
 */
type Conditions =
  | { readonly is: "none" }
  | { readonly is: "some"; readonly bindings: readonly string[] }
  | { readonly is: "unknown"; readonly why: string };

/**
 * Reads the bindings with a condition in the policies of a project and of the folders and the organization above it. A
 * condition may name resources, so testIamPermissions on the project does not count such a binding
 * (https://cloud.google.com/iam/docs/configuring-resource-based-access). The function does not check which bindings
 * apply to the credentials, because a binding may name groups.
 */
export async function conditionsOn(project: string, signal: AbortSignal): Promise<Conditions> {
  const above = await ancestorsOf(project, signal);
  if ("why" in above) return { is: "unknown", why: above.why };
  const bindings: string[] = [];
  for (const place of [`projects/${project}`, ...above.places]) {
    const path = `v3/${place}:getIamPolicy`;
    const body = { options: { requestedPolicyVersion: 3 } };
    const answer = await askApi({ api: "cloudresourcemanager", path, body }, signal);
    if (answer.is !== "found") return { is: "unknown", why: answer.is === "missing" ? `no ${place}` : answer.why };
    for (const { role, condition } of recordsIn(answer.body["bindings"])) {
      if (isRecord(condition)) bindings.push(`${String(role)} on ${place}`);
    }
  }
  return bindings.length === 0 ? { is: "none" } : { is: "some", bindings: [...new Set(bindings)] };
}

/** https://cloud.google.com/resource-manager/reference/rest/v1/projects/getAncestry */
async function ancestorsOf(
  project: string,
  signal: AbortSignal,
): Promise<{ readonly places: readonly string[] } | { readonly why: string }> {
  const path = `v1/projects/${project}:getAncestry`;
  const answer = await askApi({ api: "cloudresourcemanager", path, body: {} }, signal);
  if (answer.is !== "found") return { why: answer.is === "missing" ? `no project ${project}` : answer.why };
  const ids = recordsIn(answer.body["ancestor"]).map(({ resourceId }) => (isRecord(resourceId) ? resourceId : {}));
  return {
    places: ids.flatMap(({ type, id }) => (type === "project" ? [] : [`${String(type)}s/${String(id)}`])),
  };
}
