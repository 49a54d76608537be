import { task, z } from "../../src/authoring.ts";
import { askCluster, type Seen } from "../cluster-answers/answers.ts";
import { lookAtEach, needsKubeconfig, notSeenTexts, unseenLists } from "../cluster-answers/not-seen.ts";
import type { NodeObject } from "../cluster-answers/objects.ts";
import type { PodObject } from "../cluster-answers/workload-objects.ts";
import { counted } from "../cluster/count.ts";
import { lossLists, lossOf } from "../node-removal/loss.ts";
import { imagesLostWith, lostImagesText } from "../node-removal/lost-images.ts";
import { quorumProblem } from "../node-removal/quorum.ts";
import { placed } from "./placing.ts";
import { sizeText, sum } from "./table.ts";

const lists = [...lossLists, "backingImages", "images", "pods"] as const;
type Cluster = Seen<(typeof lists)[number]>;

/** Reports which nodes could be lost while everything keeps running elsewhere, and why the others could not. */
export const spareNodes = task({
  name: "spareNodes",
  summary: "Report which node could be lost while everything still fits on the others",
  params: z.strictObject({ kubeconfig: z.string().describe("The cluster's kubeconfig on the controller") }),
  examples: [],
  title: () => "if a node is lost",
})
  .facts((p) => askCluster(p.kubeconfig, ...lists))
  .want((_p, now) => needsKubeconfig(now))
  .steps(() => [])
  .notes((_p, now) => {
    const { seen, unseen } = lookAtEach(now, lists);
    const texts = unseenLists(unseen);
    return texts.length > 0
      ? ["without the following, furrow cannot tell which node could be lost", ...notSeenTexts(texts)]
      : [
          ...(seen as Cluster).nodes.flatMap(({ name }) => spareTexts(name, seen as Cluster)),
          "compared: votes, healthy replicas, copies of images, requests and node selectors; not compared: affinity",
        ];
  });

/** True if a node accepts new pods. */
export function takesPods({ ready, cordoned, maintained, tainted }: NodeObject): boolean {
  return ready && !cordoned && !maintained && !tainted;
}

/** Says whether a cluster could lose a node, and what would happen. */
export function spareTexts(name: string, cluster: Cluster): string[] {
  const isUp = cluster.nodes.some((node) => node.name === name && node.ready);
  const obstacles = obstaclesTo(name, cluster);
  if (obstacles.length > 0)
    return obstacles.map(
      (why, at) =>
        `${at > 0 ? `also for ${name}` : isUp ? `${name} cannot be lost` : `${name} is down, and not everything on it fits elsewhere`}: ${why}`,
    );
  const moving = movingFrom(name, cluster.pods);
  const can = isUp ? `${name} can be lost` : `${name} is down, and the others can do without it`;
  const machines = moving.filter(({ machine }) => machine !== undefined).length;
  const size = sizeText(
    sum(moving.map(({ requests }) => requests.cpu)),
    sum(moving.map(({ requests }) => requests.memory)),
  );
  const weaker = cluster.replicas.filter((replica) => replica.node === name && replica.healthy).length;
  return [
    [
      moving.length === 0
        ? `${can}: nothing has to move`
        : `${can}: the other nodes have room for ${counted(moving.length, "pod")}, including ${counted(machines, "machine")} (${size} requested)`,
      ...(weaker > 0 ? [`${counted(weaker, "volume")} would have one replica fewer until it is rebuilt`] : []),
    ].join("; "),
  ];
}

/** The pods of a node that would have to run elsewhere. */
export function movingFrom(node: string, pods: readonly PodObject[]): PodObject[] {
  return pods.filter((pod) => pod.node === node && !pod.hasEnded && !pod.staysOnNode);
}

function obstaclesTo(name: string, cluster: Cluster): string[] {
  const { nodes, pods } = cluster;
  const votes = nodes.some((node) => node.name === name && node.votes) ? quorumProblem(nodes, name) : undefined;
  const loss = lossOf(name, cluster);
  const images = imagesLostWith(name, cluster);
  const others = nodes.filter((node) => node.name !== name && takesPods(node));
  const places = placed(movingFrom(name, pods), others, pods);
  const homeless = places?.filter(({ node }) => node === undefined).map(({ pod }) => podText(pod));
  const bound = cluster.instances.filter((one) => one.running && one.node === name && one.hasHostDevice);
  return [
    ...(votes === undefined ? [] : [votes]),
    ...(loss.volumes.length > 0
      ? [`its data is nowhere else: ${loss.volumes.map((one) => `${one.name} (${one.why})`).join(", ")}`]
      : []),
    ...(images.length > 0 ? [`the only copies of images are on it: ${lostImagesText(images)}`] : []),
    ...(loss.machines.length > 0 ? [`nothing would start ${loss.machines.join(", ")} again`] : []),
    ...bound.map((one) => `${one.name} cannot run elsewhere: it uses a device on its node`),
    ...(places === undefined ? ["the size of another node is unknown"] : []),
    ...(homeless !== undefined && homeless.length > 0 ? [`no room on the others for ${homeless.join(", ")}`] : []),
  ];
}

function podText({ name, machine, requests }: PodObject): string {
  return `${machine ?? `the pod ${name}`} (${sizeText(requests.cpu, requests.memory)})`;
}
