/**
 * Adds to a list the apiVersion that the API gives it at this path, unless the test sets another one. Other responses
 * stay as they are.
 */
export function withApiVersion(path: string, body: object): object {
  if (!("kind" in body) || !String(body.kind).endsWith("List") || !("items" in body)) return body;
  const [, core, group] = /^\/(?:api\/(v[^/]+)|apis\/([^/]+\/[^/]+))\//.exec(path) ?? [];
  return { apiVersion: core ?? group, ...body };
}
