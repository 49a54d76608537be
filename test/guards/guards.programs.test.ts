import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Json, playbook } from "../../src/authoring.ts";
import { definitionOf } from "../../src/core/authoring/task.ts";
import { explain, simulate, type SimulatedTask } from "../../src/testing/index.ts";
import { clusterLists, type ListName } from "../../roles/cluster-answers/answers.ts";
import { covered } from "../covered.ts";
import { badLists, badSingles, type BadAnswer, driverFor, failures } from "./bad-answers.ts";
import { badObjects, badStatistics } from "./bad-objects.ts";
import { answerFor, instanceOf, soundCluster } from "./examples.ts";
import { FakeCluster } from "./fake-cluster.ts";
import type { Guard } from "./guard.ts";
import { guards } from "./registry.ts";

let cluster: FakeCluster;

const noCertificates = spawnSync("sh", ["-c", "command -v openssl"]).status !== 0;

beforeAll(async () => {
  cluster = await FakeCluster.up(soundCluster);
});

afterAll(() => cluster.down());

const never = new AbortController().signal;

/** Runs one guard alone. Requests for the path under test go to the fake cluster, through the real driver. */
async function run(
  { call, state, drivers }: Guard,
  kubeconfig: string,
  path = "",
  endsBy?: BadAnswer["endsBy"],
): Promise<SimulatedTask> {
  const book = playbook({ name: "a guard alone", plays: [{ hosts: "all", tasks: () => [call(kubeconfig)] }] });
  const { tasks } = await simulate(book, {
    hosts: ["metal"],
    state: { metal: state?.(cluster.authority) ?? {} },
    drivers: {
      ...drivers,
      kubernetes: (request: Json) => {
        const asked = request as { readonly path: string };
        return path === "" || asked.path === path
          ? driverFor(endsBy).read(request, never)
          : answerFor(soundCluster, asked);
      },
    },
  });
  return tasks[0] as SimulatedTask;
}

/** One cell of the table: a guard, the path that gets a bad answer, and that answer. */
interface Cell {
  readonly guard: Guard;
  readonly path: string;
  readonly what: string;
  readonly bad: BadAnswer;
}

/** The lists to which some report or verdict has been given all bad answers. */
const reported = new Set<ListName>();

/**
 * The bad answers to a list. All reports and verdicts read lists in one place (`lookAtEach`), and nothing follows from
 * what they say, so the first of them with a list gets all bad answers to it, and the others a few. A guard gets all.
 */
function badAnswersTo(list: ListName, { says }: Guard): readonly BadAnswer[] {
  const all = [...failures, ...badLists, ...badObjects(list)];
  if (says !== "report" && says !== "verdict") return all;
  const isFirst = !reported.has(list);
  reported.add(list);
  return isFirst ? all : [failures, badLists, badObjects(list)].flatMap((kind) => kind.slice(0, 2));
}

const cells: readonly Cell[] = guards.flatMap((guard) => [
  ...guard.lists.flatMap((list) => {
    const { path, what } = clusterLists[list];
    return badAnswersTo(list, guard).map((bad) => ({ guard, path, what, bad }));
  }),
  ...(guard.object === undefined
    ? []
    : [...failures, ...badSingles].map((bad) => ({
        guard,
        path: guard.object ?? "",
        what: guard.object?.split("/").at(-1) ?? "",
        bad,
      }))),
  ...(guard.statistics === undefined
    ? []
    : [...failures, ...badStatistics].map((bad) => ({
        guard,
        path: guard.statistics?.path ?? "",
        what: `the free space of ${guard.statistics?.node}`,
        bad,
      }))),
]);

/** What a wait says about the answer to this path, which it refuses; a simulation does not wait. */
async function refusalOf(
  { call, lists, object, wait }: Guard,
  kubeconfig: string,
  path: string,
  endsBy?: BadAnswer["endsBy"],
): Promise<string> {
  const requests = [
    ...lists.map((list) => [list, { kubeconfig, path: clusterLists[list].path, list: true }] as const),
    ...(object === undefined || wait === undefined ? [] : [[wait.object, { kubeconfig, path: object }] as const]),
  ];
  const answers = requests.map(async ([fact, request]) => {
    const answer =
      request.path === path
        ? await driverFor(endsBy)
            .read(request, never)
            .catch((error: unknown) => error)
        : answerFor(soundCluster, request);
    return [fact, wait?.listed === true && fact === wait.object ? [answer] : answer] as const;
  });
  const now = { ...wait?.others, ...Object.fromEntries(await Promise.all(answers)) };
  const error = Object.values(now)
    .flat()
    .find((answer) => answer instanceof Error);
  return error?.message ?? explain(call(kubeconfig), now).refusal?.message ?? "nothing";
}

/** What a task says about its failure, or in its notes. */
function said({ error, notes }: SimulatedTask): string {
  const { what = "", current = "" } = error?.failure ?? {};
  return [what, current, ...notes].join("\n");
}

describe.skipIf(noCertificates)("no guard allows anything that it cannot see", () => {
  const named = cells.map((cell, number) => ({
    ...cell,
    number,
    name: `${cell.guard.name}, ${cell.path}: ${cell.bad.name}`,
  }));
  const results: Promise<{ readonly task: SimulatedTask; readonly text: string }>[] = [];

  beforeAll(async () => {
    cluster.instead = (asked) => {
      const { bad, path } = cells[Number(asked.prefix.slice(1))] as Cell;
      return asked.path === path && (bad.instead?.(asked) ?? false);
    };
    const next = cells.entries();
    const work = async (): Promise<void> => {
      for (const [number, { guard, path, bad }] of next) {
        const kubeconfig = bad.kubeconfig?.(cluster, `/${number}`) ?? cluster.kubeconfig(`/${number}`);
        const result = run(guard, kubeconfig, path, bad.endsBy).then(async (task) => ({
          task,
          text: guard.says === "wait" ? await refusalOf(guard, kubeconfig, path, bad.endsBy) : said(task),
        }));
        results[number] = result;
        await result.catch(() => undefined);
      }
    };
    // Most of the time is spent waiting for deadlines.
    await Promise.all(Array.from({ length: 24 }, work));
  }, 3_600_000);

  test.each(named)("$name", async ({ number, guard, what, bad }) => {
    const { task, text } = await (results[number] as (typeof results)[number]);
    // A file that cannot be read as a kubeconfig is an error of its own, which names the file.
    const isError = bad.cause === "cannot be used as a kubeconfig";
    const notes = guard.says === "report" || guard.says === "comparison";
    const outcome = notes && !isError ? "ok" : "failed";
    expect({ outcome: task.outcome, steps: task.steps }).toEqual({ outcome, steps: [] });
    expect(text).toContain(bad.cause);
    expect(isError || text.includes(what)).toBe(true);
  });

  test("the table has each cell once", () => {
    expect(new Set(named.map(({ name }) => name)).size).toBe(cells.length);
    covered(`${cells.length} cells of ${guards.length} tasks and bad answers`);
  });
});

describe.skipIf(noCertificates)("with complete answers", () => {
  test.each([...guards])("$name allows", async (guard) => {
    cluster.instead = () => false;
    cluster.objects = { ...soundCluster, ...guard.allows };
    const task = await run(guard, cluster.kubeconfig());
    cluster.objects = soundCluster;
    expect(said(task)).not.toContain("cannot be");
    expect(["ok", "changed"]).toContain(task.outcome);
  });

  test("a list comes in pages, and a busy server is asked again", async () => {
    let busy = 2;
    cluster.instead = ({ response, page }) => {
      if (page === 0 || busy-- <= 0) return false;
      response.writeHead(429, { "retry-after": "0" }).end();
      return true;
    };
    cluster.asked.length = 0;
    const read = await driverFor().read({ kubeconfig: cluster.kubeconfig(), path: "/api/v1/nodes", list: true }, never);
    expect(read).toEqual({ complete: true, kind: "NodeList", items: soundCluster.nodes });
    expect(cluster.asked).toHaveLength(4);
  });

  test("a list that expires between two pages is read again from its start", async () => {
    let expires = true;
    cluster.instead = ({ response, page }) => {
      if (page === 0 || !expires) return false;
      expires = false;
      response.writeHead(410).end(JSON.stringify({ kind: "Status", message: "expired" }));
      return true;
    };
    const read = await driverFor().read({ kubeconfig: cluster.kubeconfig(), path: "/api/v1/nodes", list: true }, never);
    expect(read).toEqual({ complete: true, kind: "NodeList", items: soundCluster.nodes });
  });

  test("a running machine without a node is not accepted as an answer", async () => {
    cluster.objects = { ...soundCluster, instances: [instanceOf("web", undefined)] };
    cluster.instead = () => false;
    const task = await run(guards[0] as Guard, cluster.kubeconfig());
    cluster.objects = soundCluster;
    expect(said(task)).toContain("VirtualMachineInstance default/web has a wrong status.nodeName: no node");
  });
});

describe("the registry", () => {
  const root = join(import.meta.dirname, "../..");
  const sources = ["roles", "playbooks", "tasks"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts") && !/\.(test|cases)\.ts$/.test(path))
      .map((path) => join(folder, path)),
  );
  const text = (path: string): string => readFileSync(join(root, path), "utf8");

  test("only the folder cluster-answers asks the Kubernetes API", () => {
    const asking = sources.filter(
      (path) => /\b(kubernetes|kubernetesList)\(/.test(text(path)) || text(path).includes('driver: "kubernetes"'),
    );
    expect(asking).toEqual(["roles/cluster-answers/answers.ts", "roles/cluster-answers/one-object.ts"]);
  });

  test("a playbook that can lose something has a guard besides the comparison", () => {
    const guard: Readonly<Record<string, string>> = {
      "harvester-remove-node.ts": "nodeRemoval(",
      "harvester-replace-node.ts": "nodeRemoval(",
      "harvester-shutdown.ts": "powerOff(",
      "harvester-upgrade.ts": "clusterUpgrade(",
    };
    // These create, start or report, and delete nothing.
    const keepsAll = ["", "-add-disk", "-add-node", "-restart", "-status"].map((name) => `harvester${name}.ts`);
    const comparing = sources
      .filter((path) => path.startsWith("playbooks/") && /\bidentity\(/.test(text(path)))
      .map((path) => path.replace("playbooks/", ""));
    expect(comparing.toSorted()).toEqual([...keepsAll, ...Object.keys(guard)].toSorted());
    for (const [name, call] of Object.entries(guard)) {
      const source = text(join("playbooks", name));
      expect(source.indexOf(call)).toBeGreaterThan(source.indexOf("identity({"));
    }
  });

  test("contains every task that asks through that folder", () => {
    const asking = sources
      .filter((path) => !path.includes("cluster-answers/"))
      .flatMap((path) => text(path).split(/^(?=(?:export )?(?:const|function) )/m))
      .filter((part) => /\b(askCluster|askObject)\(/.test(part))
      .map((part) => /^export const (\w+) = task\(/.exec(part)?.[1] ?? part);
    expect(asking.toSorted()).toEqual(guards.map(({ name }) => name).toSorted());
    expect(guards.map(({ module }) => definitionOf(module)?.card.name)).toEqual(guards.map(({ name }) => name));
  });
});
