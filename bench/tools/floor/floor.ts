/**
 * The floor: what someone who knows the hosts would write by hand. For each host it uses one ssh2 connection, one
 * script that reads the state, and one that fixes the differences and reads the state again. Usage: `node floor.ts PLAN
 * TARGETS.json SOURCE [--check] [--pipelined]`.
 */
import { readFileSync } from "node:fs";
import type { Targets } from "../../hosts/targets.ts";
import type { PlanName } from "../../workloads/plan.ts";
import { keepBig } from "./big.ts";
import { type Connection, connectTo } from "./connection.ts";
import { mendingScript, readingScript, thingsOf, wantedLines } from "./things.ts";
import { keepTree } from "./tree.ts";

const [plan, file, source, ...flags] = process.argv.slice(2) as [PlanName, string, string, ...string[]];
const targets = JSON.parse(readFileSync(file, "utf8")) as Targets;
const check = flags.includes("--check");
// Loaded only if it is used, because the floor must not spend time on code that it does not need.
const connect = flags.includes("--pipelined")
  ? (await import("./pipelined.ts")).connectingQuickly(targets)
  : (host: Targets["hosts"][number]): Promise<Connection> => connectTo(host, targets);

/** Returns how many changes were made, or would be made in check mode. */
async function keep(connection: Connection): Promise<number> {
  if (plan === "tree") return keepTree(connection, source, check);
  if (plan === "big") return keepBig(connection, source, check);
  const things = thingsOf[plan];
  const wanted = wantedLines(things);
  const answer = await connection.run("sh -s", readingScript(things));
  const fixes = new Set(wanted.filter(({ line }) => !answer.includes(line)).map(({ fix }) => fix));
  if (fixes.size === 0 || check) return fixes.size;
  const after = await connection.run("sh -s", mendingScript(things, [...fixes]));
  const missing = wanted.filter(({ line }) => !after.includes(line));
  if (missing.length > 0) throw new Error(`not in the planned state: ${missing.map(({ line }) => line).join("\n")}`);
  return fixes.size;
}

const changes = await Promise.all(
  targets.hosts.map(async (host) => {
    const connection = await connect(host);
    const count = await keep(connection);
    connection.end();
    return count;
  }),
);
process.stdout.write(`${changes.reduce((sum, count) => sum + count, 0)} changed\n`);
