import { afterAll, beforeAll, expect, test } from "vitest";
import { removedMarker } from "../../roles/cluster/places.ts";
import { until } from "../acceptance/harvester-host.ts";
import { covered } from "../covered.ts";
import { Deployment } from "../playbooks/deployment.ts";
import { nodesOf } from "../playbooks/kubernetes.ts";
import { torturePoints, tortureSeed } from "../seeded.ts";
import { ended, KilledOnce } from "./killed-once.ts";
import { KilledPlaybook } from "./killed-playbook.ts";

let deployment: Deployment;
let killed: KilledPlaybook;

beforeAll(async () => {
  deployment = await Deployment.up("deploy-replace", 3, "v1.7.1", "inventory/start.ts");
  await deployment.furrow("run", { vars: ["nodes=3"] });
  killed = new KilledPlaybook(deployment);
  await killed.attach();
}, 1_800_000);

afterAll(async () => {
  killed.close();
  await deployment.down();
}, 600_000);

const inHost = (script: string): Promise<string> => deployment.inHost(script);
/** How many times node 1 has joined the cluster. */
const joined = async (): Promise<number> =>
  (await deployment.said("harvester-1")).filter((line) => line === "stand-in: harvester-1 has joined the cluster")
    .length;
const others = (): Promise<string> => inHost("cat /run/libvirt/qemu/harvester-[23].pid");
const members = async (): Promise<string[]> =>
  (await nodesOf(deployment.kubeconfig)).map(({ name, ready }) => `${name} ${ready}`).toSorted();

test(
  "node 1, which has the virtual address, is reinstalled exactly once even if furrow is killed",
  { timeout: 7_200_000 },
  async () => {
    const points = torturePoints(2);
    const book = { playbook: "harvester-replace-node", vars: ["nodes=3", "node=1"] };
    const running = await others();
    const calm = await killed.run(book);
    ended(calm);
    const once = new KilledOnce(killed);
    for (let point = 0; point < points; point += 1) {
      const before = await joined();
      await once.kill(book, calm);
      // The last step removes the marker: if a run is killed after this step, nothing is left to do.
      const isOver = (await joined()) > before && (await inHost(`ls ${removedMarker("harvester-1")} || true`)) === "";
      if (!isOver) ended(await killed.run(book));
      expect((await joined()) - before).toBe(1);
      await until(async () => (await members()).join() === "harvester-1 true,harvester-2 true,harvester-3 true", 600);
      expect(await others()).toBe(running);
      expect(await inHost("ls /etc/furrow-maintenance 2>/dev/null || true")).toBe("");
      const again = await deployment.furrow("run", { vars: ["nodes=3"] });
      expect(again.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
    }
    once.print(`${points} reinstallations of node 1`);
    expect(once.hits).toBeGreaterThan(0);
    covered(
      `furrow killed ${once.hits} times while it reinstalled node 1 of three ${points} times (seed ${tortureSeed})`,
    );
  },
);
