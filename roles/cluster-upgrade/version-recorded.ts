import { absent, file, refuse, type Refusal, task, z } from "../../src/authoring.ts";
import { fingerprintPath } from "../cluster/places.ts";
import { type Fingerprint, fingerprintText, readFingerprint, recordText } from "../identity/fingerprint.ts";

const params = z.strictObject({
  node: z.string().describe("Name of the node"),
  version: z.string().describe("The version that the node is running now"),
});

/**
 * Updates a node's version in its record on the host. Later playbooks read the version from the record when the cluster
 * does not answer. Nothing else in the record changes, and no record is created for a node without one.
 */
export const versionRecorded = task({
  name: "versionRecorded",
  summary: "Record on the host which version a node runs after an upgrade",
  params,
  examples: [],
  title: ({ node, version }) => `${node} is recorded with ${version}`,
})
  .facts((p) => ({ record: file(fingerprintPath(p.node), ["text"]) }))
  .want((p, { record }) => {
    if (record === absent) return {};
    const found = readFingerprint(recordText(record) ?? "");
    return found === undefined ? unreadable(p.node) : { record: { type: "file", text: textOf(p.version, found) } };
  })
  .steps((p, { change, now: { record } }) => {
    const found = readFingerprint(recordText(record) ?? "");
    if (!change.record || found === undefined) return [];
    const path = fingerprintPath(p.node);
    return [{ step: "writeFile", path, text: textOf(p.version, found), mode: "0600", owner: "root", group: "root" }];
  });

function textOf(version: string, found: Fingerprint): string {
  return fingerprintText({ ...found, version });
}

function unreadable(node: string): Refusal {
  return refuse({
    code: "unreadable-fingerprint",
    message: `${fingerprintPath(node)} records how ${node} was installed, but cannot be read`,
    hint: "Restore it from a backup, or delete it",
  });
}
