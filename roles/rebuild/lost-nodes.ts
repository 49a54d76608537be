import { type KubernetesAnswer, Refusal, task, z } from "../../src/authoring.ts";
import { askCluster, type Seen } from "../cluster-answers/answers.ts";
import { lookAtEach, needsKubeconfig, notSeenTexts, unseenLists } from "../cluster-answers/not-seen.ts";
import { askObject, lookAtObject, settingPath } from "../cluster-answers/one-object.ts";
import { counted } from "../cluster/count.ts";
import { few } from "../longhorn-doctor/findings.ts";
import { noNode } from "../node-maintenance/may-enter.ts";
import { imagesLostWith, lostImagesText } from "../node-removal/lost-images.ts";
import { lossLists, lossOf, lostText } from "../node-removal/loss.ts";

const lists = [...lossLists, "backingImages", "images"] as const;
type Cluster = Seen<(typeof lists)[number]>;

/** The setting that says whether Harvester starts the machines of a lost node elsewhere. */
export const resetSetting = "vm-force-reset-policy";

/** Reports what the loss of a node means, and what to do, in order. */
export const lostNodes = task({
  name: "lostNodes",
  summary: "Report what the loss of a node means, and what to do",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    node: z.string().optional().describe("Node to check; default: the nodes that are not ready"),
  }),
  examples: [],
  title: ({ node }) => (node === undefined ? "lost nodes" : `if ${node} is lost`),
})
  .facts((p) => ({
    ...askCluster(p.kubeconfig, ...lists),
    setting: askObject(p.kubeconfig, settingPath(resetSetting)),
  }))
  .want(({ node }, now) => {
    const refusal = needsKubeconfig(now);
    if (refusal instanceof Refusal || node === undefined) return refusal;
    const { nodes } = lookAtEach(now, lists).seen;
    return nodes === undefined || nodes.some(({ name }) => name === node) ? {} : noNode(node, nodes);
  })
  .steps(() => [])
  .notes(({ node }, { setting, ...answers }) => {
    const { seen, unseen } = lookAtEach(answers, lists);
    const unknown = notSeenTexts(unseenLists(unseen));
    const unread = new Set<string>(unseen.map(({ list }) => list));
    if (seen.nodes === undefined)
      return [
        toldLittle,
        ...unknown,
        ...restartTexts(setting, [], "2. start elsewhere: furrow does not know which machines"),
      ];
    const lost = seen.nodes.filter(({ name, ready }) => (node === undefined ? !ready : name === node));
    if (lost.length === 0 && node !== undefined) return [];
    if (lost.length === 0)
      return [
        "every node is ready; `--var node=NAME` shows what the loss of one would mean",
        ...restartTexts(setting, [], "if a node is lost, its machines have to start elsewhere"),
        ...unknown,
      ];
    if (lossLists.some((list) => unread.has(list)))
      return [toldLittle, ...unknown, ...lost.flatMap((own) => machineTexts(own.name, seen.instances, setting))];
    const { backingImages, images, ...cluster } = seen as Cluster;
    const all = unread.size === 0 ? { backingImages, images } : undefined;
    return [
      ...lost.flatMap(({ name, ready }) => lossTexts(name, ready, { cluster, images: all }, setting)),
      ...unknown,
    ];
  });

const toldLittle = "without the following, furrow cannot tell what is lost";

/** Names the machines that run on a lost node, for when furrow cannot tell whether their volumes are lost too. */
function machineTexts(node: string, instances: Cluster["instances"] | undefined, setting: KubernetesAnswer): string[] {
  const running = instances?.filter((one) => one.running && one.node === node).map(({ name }) => name);
  const known = running === undefined ? "furrow does not know which machines" : few(running);
  if (running?.length === 0) return [`${node}:`, "2. no virtual machine runs there"];
  const names = `2. start elsewhere${running === undefined ? "" : ", unless their volumes are lost"}: ${known}`;
  return [`${node}:`, ...restartTexts(setting, running ?? [], names)];
}

/** What is known about a cluster; if `images` is undefined, it is unknown which images are lost. */
interface Known {
  readonly cluster: Omit<Cluster, "backingImages" | "images">;
  readonly images: Pick<Cluster, "backingImages" | "images"> | undefined;
}

function lossTexts(name: string, isUp: boolean, { cluster, images: all }: Known, setting: KubernetesAnswer): string[] {
  const loss = lossOf(name, cluster);
  const images = all === undefined ? [] : imagesLostWith(name, { ...cluster, ...all });
  const gone = new Set(loss.volumes.flatMap(({ machines }) => machines));
  const running = cluster.instances.filter((one) => one.running && one.node === name);
  const movable = running.filter(
    (one) => !gone.has(one.name) && !loss.machines.includes(one.name) && !one.hasHostDevice,
  );
  const stuck = running.filter((one) => one.hasHostDevice).map((one) => one.name);
  const lostVolumes = new Set(loss.volumes.map((one) => one.name));
  const weaker = [
    ...new Set(
      cluster.replicas.filter((one) => one.node === name && !lostVolumes.has(one.volume)).map(({ volume }) => volume),
    ),
  ];
  const others = cluster.volumes.filter(
    ({ robustness, name: own }) => robustness === "degraded" && !weaker.includes(own) && !lostVolumes.has(own),
  );
  return [
    isUp ? `${name} is up; this is what its loss would mean:` : `${name} is down:`,
    `1. make sure that ${name} is switched off: two copies of a machine must never run on one volume`,
    ...(running.length === 0
      ? ["2. no virtual machine runs there"]
      : movable.length === 0
        ? ["2. none of the machines that run there can start elsewhere"]
        : restartTexts(
            setting,
            movable.map((one) => one.name),
          )),
    ...(stuck.length > 0 ? [`   cannot run elsewhere, because they use a device of ${name}: ${few(stuck)}`] : []),
    ...(loss.machines.length > 0
      ? [`   nothing starts these again, because they have no definition: ${few(loss.machines)}`]
      : []),
    loss.volumes.length === 0
      ? "3. no volume is lost"
      : `3. ${counted(loss.volumes.length, "volume")} lost, unless the disks of ${name} come back: ${lostText(loss.volumes)}`,
    ...(loss.volumes.length > 0 ? ["   restore their machines from backups, with the gitops/restore playbook"] : []),
    ...(images.length > 0
      ? [`   ${counted(images.length, "image")} lost, unless the disks of ${name} come back: ${lostImagesText(images)}`]
      : []),
    ...(all === undefined ? ["   unknown: which images are lost"] : []),
    ...(weaker.length > 0
      ? [
          `4. ${counted(weaker.length, "volume")} with a replica there; Longhorn rebuilds them elsewhere: ${few(weaker)}`,
        ]
      : ["4. no volume has to be rebuilt"]),
    ...(others.length > 0 ? [`   degraded for another reason: ${few(others.map((one) => one.name))}`] : []),
    "   wait until playbooks/ops/longhorn-doctor.ts finds no volume with too few replicas",
    `5. if ${name} does not come back: playbooks/harvester-replace-node.ts; on hardware, delete it in the Harvester UI (Hosts), and install it again so that it joins`,
  ];
}

const policySchema = z.looseObject({ enable: z.boolean(), period: z.int().min(1) });

/** Says what starts machines elsewhere (InitVMForceResetPolicy in pkg/settings of harvester/harvester). */
function restartTexts(
  answer: KubernetesAnswer,
  machines: readonly string[],
  names = `2. start elsewhere: ${few(machines)}`,
): string[] {
  const look = lookAtObject(answer, { kind: "Setting", name: resetSetting });
  if ("unseen" in look)
    return [names, `unknown: whether Harvester restarts them automatically, because ${look.unseen.message}`];
  if (look.seen === undefined)
    return [
      names,
      `unknown: whether Harvester restarts them automatically, because the setting ${resetSetting} does not exist`,
    ];
  const policy = policyIn(look.seen);
  if (policy === undefined)
    return [names, `unknown: whether Harvester restarts them automatically, because ${resetSetting} cannot be read`];
  if (policy.enable) return [`${names}; Harvester does so after about ${policy.period} s (${resetSetting})`];
  const [namespace, name] = (machines[0] ?? "NAMESPACE/MACHINE").split("/");
  return [
    `${names}; Harvester does not do so: ${resetSetting} is off`,
    `   for each, once the node is off: \`kubectl -n ${namespace} delete pod --force -l harvesterhci.io/vmName=${name}\``,
  ];
}

function policyIn(object: unknown): z.output<typeof policySchema> | undefined {
  const { data } = z.looseObject({ value: z.string().default(""), default: z.string().default("") }).safeParse(object);
  try {
    return policySchema.safeParse(JSON.parse(data?.value || data?.default || "")).data;
  } catch {
    return undefined;
  }
}
