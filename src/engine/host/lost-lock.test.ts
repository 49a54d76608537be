import { expect, test } from "vitest";
import { runPlays } from "../../../test/engine/runs.ts";
import { awaitCell, performToy, set } from "../../../test/engine/toy-tasks.ts";
import { block, type Node } from "../../core/authoring/group.ts";
import { FurrowError } from "../../core/errors.ts";
import type { Session } from "../../core/host/frame.ts";
import { SimulatedHost } from "../../transport/simulated.ts";

const locked = new FurrowError("E_LOCKED", { what: "another run took the host" });

/**
 * Runs tasks on a host. As soon as `isLost` returns true, the first session on the host finds that another run has
 * taken the host.
 */
async function runOn(nodes: readonly Node[], isLost: (cells: readonly string[]) => boolean) {
  const host = new SimulatedHost(new Map(), (step, own) => performToy(step.step === "run" ? step.argv : [], own));
  const cells = (): string[] => [...host.state.keys()].filter((id) => id.startsWith("cell:"));
  let sessions = 0;
  const connect = ({ stop }: { readonly stop?: AbortSignal }): Promise<Session> => {
    const session = host.open(stop);
    const isFirst = (sessions += 1) === 1;
    const frame: Session["frame"] = (...input) =>
      isFirst && isLost(cells()) ? Promise.reject(locked) : session.frame(...input);
    return Promise.resolve({ ...session, frame });
  };
  const { events, result } = await runPlays([{ hosts: "all", tasks: () => nodes }], { request: { connect } });
  const codes = result.errors.map(({ code }) => code);
  return { codes, sessions, cells: cells(), retried: events.filter(({ type }) => type === "taskRetry").length };
}

const begin = set({ cell: "a", v: 1 });
const later = set({ cell: "b", v: 2 });
const missing = { cell: "c", v: 3 };

test.each([
  ["it is a wait that notices the loss", [awaitCell(missing), later]],
  ["the task that notices the loss may fail", [awaitCell(missing, { ignoreFailure: true }), later]],
  ["the task that notices the loss has a rescue", [block("guarded", [awaitCell(missing)], { rescue: [later] })]],
  [
    "the task that notices the loss has retries",
    [awaitCell(missing, { retries: { times: 3, delaySeconds: 0 } }), later],
  ],
])("a run that has lost a host to another run does nothing more on that host, even if %s", async (_case, nodes) => {
  const run = await runOn([begin, ...nodes], (cells) => cells.length > 0);
  expect(run).toEqual({ codes: ["E_LOCKED"], sessions: 1, cells: ["cell:a"], retried: 0 });
});

test("a run that never held a host tries to take the host again for its next task", async () => {
  const run = await runOn([set({ cell: "a", v: 1 }, { ignoreFailure: true }), later], () => true);
  expect(run).toMatchObject({ codes: [], sessions: 2, cells: ["cell:b"] });
});
