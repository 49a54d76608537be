/**
 * The hosts of a lab as nodes: FURROW_LAB_NAME is the lab's name, and FURROW_NODES the number of nodes. The fourth and
 * later nodes are agents.
 */
import { inventory } from "furrow";
import { labInventory } from "furrow/lab";
import { labInUse } from "../playbooks/small-cluster.ts";

const lab = await labInUse();
const count = Number(process.env["FURROW_NODES"] ?? 3);
const hosts = lab.hosts.slice(0, count);
const { groups } = labInventory({ ...lab, hosts });

export default inventory({
  hosts: Object.fromEntries(hosts.map(({ name, address, port }) => [name, { address, port }])),
  groups: { ...groups, agents: { hosts: hosts.slice(3).map(({ name }) => name) } },
});
