import { operator, refuse, type Refusal, seconds, task, z } from "../../src/authoring.ts";
import { authorityPath } from "../argo-cluster/server-trusted.ts";
import { askCluster, type Seen } from "../cluster-answers/answers.ts";
import { type Rotation, rotationOf } from "../cluster-answers/nodes/certificates.ts";
import { askObject, decideOnObject, settingPath } from "../cluster-answers/one-object.ts";
import { unrestIn } from "../cluster-settings/cluster-calm.ts";
import { decideWithVersion } from "../cluster-upgrade/with-version.ts";
import { versionPath } from "../identity/answers.ts";
import { rotationSetting } from "./certificates.ts";
import { askServers, nodesAndVersion, reportsExpiry, servedExpiry, unknownExpiry } from "./expiry.ts";

const object = { kind: "Setting", name: rotationSetting };
const lists = ["nodes", "upgrades"] as const;

const noSetting = () =>
  refuse({
    code: "no-setting",
    message: `Harvester has no setting ${rotationSetting}`,
    hint: "Check which version of Harvester the cluster runs: the setting has existed since v1.3",
  });

/**
 * Refuses to let Harvester rotate certificates while that could stop the cluster: RKE2 restarts on one node after
 * another. It also refuses if a certificate has already expired, because this setting cannot renew it
 * (harvester/harvester#9351), or if it is not known whether any certificate has expired. Up to v1.8, Harvester does not
 * report this, so the nodes' servers are asked.
 */
export const mayRotate = task({
  name: "mayRotate",
  summary: "Refuse a rotation of certificates that is not safe now",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    value: z.string().describe("New value of the setting"),
  }),
  examples: [],
  title: () => "Harvester can safely renew the certificates of RKE2",
})
  .facts((p) => ({
    ...askCluster(p.kubeconfig, ...lists),
    running: askObject(p.kubeconfig, versionPath),
    setting: askObject(p.kubeconfig, settingPath(rotationSetting)),
    authority: askObject(p.kubeconfig, authorityPath),
    operator: operator(),
  }))
  .facts((_p, { authority, ...answers }) => {
    const { nodes, version } = nodesAndVersion(answers);
    return { served: askServers(nodes, version, authority) };
  })
  .want((p, { setting, served, operator: { since }, ...answers }) =>
    decideOnObject(setting, object, "whether certificates may be rotated", (own) => {
      if (own === undefined) return noSetting();
      return decideWithVersion(answers, lists, "whether certificates may be rotated", (seen, running) => {
        const problem = failureOf(rotationOf(own));
        if (problem !== undefined) return problem;
        if (own["value"] === p.value) return {};
        const version = String(running);
        const ends = servedExpiry(seen.nodes, version, served, since);
        return (
          obstacleIn(seen, ends.ended, since) ?? unknownEnd([...unknownExpiry(seen.nodes, version), ...ends.unknown])
        );
      });
    }),
  )
  .steps(() => []);

function failureOf({ phase, node, error }: Rotation): Refusal | undefined {
  if (phase === "unreadable")
    return refuse({
      code: "rotation-unclear",
      message: `the setting ${rotationSetting} has a rotation state that furrow cannot read`,
      hint: "See the annotations of the setting, and the log of harvester in harvester-system",
    });
  if (phase !== "failed") return undefined;
  return refuse({
    code: "rotation-failed",
    message: `Harvester's rotation of certificates failed on ${node || "a node"}: ${error || "Harvester gives no reason"}`,
    hint: "Repair the node; Harvester does not continue by itself. See the jobs rke2-cert-rotate in harvester-system",
  });
}

function obstacleIn(
  { nodes, upgrades }: Seen<(typeof lists)[number]>,
  shown: readonly string[],
  now: string,
): Refusal | undefined {
  const ended = nodes.filter(
    ({ name, certificates: own }) => (typeof own === "object" && own.ends <= now) || shown.includes(name),
  );
  if (ended.length > 0)
    return refuse({
      code: "certificate-ended",
      message: `certificates of ${namesOf(ended)} have expired, and Harvester's setting cannot renew them`,
      hint: "On each of these nodes, one by one: systemctl stop rke2-server, rke2 certificate rotate, systemctl start rke2-server, then systemctl restart rancher-system-agent; on a worker, the service is rke2-agent",
    });
  const why = unrestIn({ nodes, upgrades });
  if (why.length === 0) return undefined;
  return refuse({
    code: "not-now",
    message: `certificates cannot be rotated now, because RKE2 restarts on all nodes: ${why.join("; ")}`,
    hint: "Wait until all nodes are Ready, none is in maintenance, and no upgrade is in progress; then rerun",
  });
}

function unknownEnd(why: readonly string[]): Refusal | Readonly<Record<string, never>> {
  if (why.length === 0) return {};
  return refuse({
    code: "expiry-unknown",
    message: `cannot tell whether a certificate has expired: ${why.join("; ")}`,
    hint: "See the jobs rke2-cert-check in harvester-system (v1.9 and later), and the report of ops/certificates without autoRotate",
  });
}

function namesOf(nodes: readonly { readonly name: string }[]): string {
  return nodes.map(({ name }) => name).join(", ");
}

/** Waits until Harvester has renewed the certificates that are due, or says on which node the renewal failed. */
export const rotationFinished = task({
  name: "rotationFinished",
  summary: "Wait until Harvester has renewed the certificates of RKE2 that are due",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    expiringInHours: z.int().describe("Hours before expiry at which Harvester begins the renewal"),
    intervalSeconds: seconds().default(10).describe("Seconds between two checks"),
    deadlineSeconds: seconds().default(5400).describe("Seconds after which the wait fails"),
  }),
  examples: [],
  title: () => "no certificate of RKE2 is due",
})
  .facts((p) => ({
    ...askCluster(p.kubeconfig, "nodes"),
    running: askObject(p.kubeconfig, versionPath),
    setting: askObject(p.kubeconfig, settingPath(rotationSetting)),
    operator: operator(),
  }))
  .want((p, { setting, operator: { since }, ...answers }) =>
    decideWithVersion(answers, ["nodes"], "whether certificates are due for rotation", ({ nodes }, running) =>
      decideOnObject(setting, object, "whether certificates are due for rotation", (own) => {
        if (own === undefined) return noSetting();
        const rotation = rotationOf(own);
        const problem = failureOf(rotation);
        if (problem !== undefined) return problem;
        const due = new Date(Date.parse(since) + p.expiringInHours * 3_600_000).toISOString();
        const late = nodes.filter(({ certificates: one }) => typeof one === "object" && one.ends < due);
        const unknown = unknownExpiry(nodes, String(running));
        if (rotation.phase === "none" && late.length === 0) return unknownEnd(unknown);
        return refuse({
          code: "rotating",
          message:
            rotation.phase === "runs"
              ? `Harvester renews the certificates${rotation.node === "" ? "" : ` of ${rotation.node}`}`
              : `the certificates of ${namesOf(late)} are due, and Harvester has not begun to renew them`,
          hint: "See the jobs rke2-cert-rotate and rke2-cert-check in harvester-system",
        });
      }),
    ),
  )
  .wait((p) => ({
    intervalSeconds: p.intervalSeconds,
    deadlineSeconds: p.deadlineSeconds,
    waitsFor: "Harvester to renew the certificates that are due",
  }))
  .notes((_p, answers) => {
    const { version } = nodesAndVersion(answers);
    if (version === "" || reportsExpiry(version)) return [];
    return [
      `not waited for: Harvester ${version} does not report when RKE2's certificates expire or when it has renewed them; ops/certificates without autoRotate shows those that the nodes serve`,
    ];
  });
