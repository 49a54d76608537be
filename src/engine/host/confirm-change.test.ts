import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FurrowError } from "../../core/errors.ts";
import type { Session } from "../../core/host/frame.ts";
import type { StepResult } from "../../core/host/step.ts";
import { undoAnswers } from "../../core/host/undo.ts";
import { useWorld } from "../../core/world.ts";
import { confirmChange } from "./confirm-change.ts";
import { Host, noStats } from "./host.ts";
import { HostMutex } from "./host-mutex.ts";
import { Knowledge } from "./knowledge.ts";

let at = 0;
beforeEach(() => {
  at = 0;
  const unused = (): never => {
    throw new Error("not used here");
  };
  useWorld({
    now: () => at,
    sleep: (ms) => {
      at += ms;
      return Promise.resolve();
    },
    after: () => ({ cancel: () => undefined }),
    every: unused,
    random: () => 0.5,
    fill: unused,
  });
});
afterEach(() => useWorld());

/** How a host answers one connection: it refuses the connection, or its script ends with this code. */
type Answer = "refused" | { readonly code: number; readonly text?: string };
const unreachable = (): FurrowError => new FurrowError("E_UNREACHABLE", { what: "no connection" });

/**
 * Confirms a change on a host that gives these answers; the last answer is repeated. Returns the tokens that the
 * controller presented.
 */
async function confirm(
  ...answers: readonly Answer[]
): Promise<{ tokens: string[]; connections: number; said: string[] }> {
  const tokens: string[] = [];
  const said: string[] = [];
  let [connections, left] = [0, [...answers]];
  const open = (): Promise<Session> => {
    connections += 1;
    return Promise.resolve({
      user: "root",
      frame: ({ items }) => {
        const [item] = items;
        const step = item?.item === "steps" ? item.steps[0] : undefined;
        const argv = step?.step === "run" ? step.argv : [];
        if (step?.step === "run" && step.label === "begin the change") return Promise.resolve([steps({ code: 0 })]);
        const [answer = "refused", ...more] = left;
        if (more.length > 0) left = more;
        if (answer === "refused") return Promise.reject(unreachable());
        tokens.push(argv.at(-1) ?? "");
        return Promise.resolve([steps(answer)]);
      },
      fetch: () => Promise.reject(unreachable()),
      stats: () => noStats,
      close: () => Promise.resolve(),
    });
  };
  const state = { knowledge: new Knowledge(), mutex: new HostMutex() };
  const host = new Host("h", "root", state, open, { connected: () => undefined, notice: () => undefined });
  await confirmChange(
    host,
    { step: "confirm", undo: "network", withinSeconds: 30 },
    new AbortController().signal,
    (text) => said.push(text),
  );
  return { tokens, connections, said };
}

function steps({ code, text = "" }: Exclude<Answer, string>): { item: "steps"; results: StepResult[] } {
  return { item: "steps", results: [{ exitCode: code, stdout: text, stderr: "" }] };
}

const { confirmed, done, pending, failed, withoutEffect, reverted, unknown, notRestored } = undoAnswers;

describe("a change that is confirmed over a new connection", () => {
  test("is confirmed over a later connection, with the token that the host printed after the change", async () => {
    const { tokens, connections } = await confirm({ code: pending }, { code: done, text: "t1\n" }, { code: confirmed });
    expect(tokens).toEqual(["", "", "t1"]);
    expect(connections).toBe(4);
  });

  test("is confirmed although connections fail at first, and the reason is reported only once", async () => {
    const { said } = await confirm("refused", "refused", { code: done, text: "t" }, { code: confirmed });
    expect(said).toEqual(["no new connection yet: no connection"]);
  });

  test("is confirmed only once it has taken effect", async () => {
    const without = { code: withoutEffect, text: "br0 has no address" };
    expect((await confirm({ code: done, text: "t" }, without, without, { code: confirmed })).said).toEqual([
      "not confirmed yet: br0 has no address",
    ]);
  });

  test("counts as confirmed if an answer was lost and the host then has no record of the change", async () => {
    expect((await confirm({ code: done, text: "t" }, "refused", { code: unknown })).tokens).toEqual(["", "t"]);
  });
});

test.each<readonly [string, number, number, number, readonly number[]]>([
  ["the first attempt has enough time", 20, 0, 11, [12]],
  ["the first attempt has enough time, because the previous login was slow too", 30, 25, 25, [30]],
  ["later attempts get more time", 40, 0, 35, [24, 40]],
])("a host with slow logins: %s", async (_, withinSeconds, beforeSeconds, loginSeconds, expected) => {
  const limits: number[] = [];
  let isDue: () => void = () => undefined;
  const world = {
    now: () => at,
    sleep: (ms: number) => Promise.resolve(void (at += ms)),
    every: () => ({ cancel: () => undefined }),
    random: () => 0.5,
    fill: (): never => {
      throw new Error("not used here");
    },
  };
  useWorld({
    ...world,
    after: (ms, act) => {
      limits.push(ms / 1000);
      isDue = () => {
        at += ms;
        act();
      };
      return { cancel: () => undefined };
    },
  });
  const session: Session = {
    user: "root",
    frame: async ({ items }, _, signal) => {
      const [item] = items;
      const label = item?.item === "steps" && item.steps[0]?.step === "run" ? item.steps[0].label : "";
      if (label === "begin the change") return [steps({ code: 0 })];
      if ((limits.at(-1) ?? 0) >= loginSeconds) return [steps({ code: confirmed })];
      isDue();
      signal?.throwIfAborted();
      throw unreachable();
    },
    fetch: () => Promise.reject(unreachable()),
    stats: () => noStats,
    close: () => Promise.resolve(),
  };
  const state = { knowledge: new Knowledge(), mutex: new HostMutex() };
  const heard = { connected: () => undefined, notice: () => undefined };
  let takesMs = beforeSeconds * 1000;
  const open = (): Promise<Session> => {
    at += takesMs;
    takesMs = 0;
    return Promise.resolve(session);
  };
  const host = new Host("h", "root", state, open, heard);
  const said: string[] = [];
  const step = { step: "confirm", undo: "network", withinSeconds } as const;
  await confirmChange(host, step, new AbortController().signal, (text) => said.push(text));
  expect(limits).toEqual(expected);
  expect(said).toHaveLength(expected.length - 1);
});

test("the session of another user on the host is closed as well, because it uses the same connection", async () => {
  const log: string[] = [];
  const sessionOf = (name: string): Session => ({
    user: name,
    frame: ({ items }) => {
      const [item] = items;
      const label = item?.item === "steps" && item.steps[0]?.step === "run" ? item.steps[0].label : "";
      log.push(`${name}: ${label ?? ""}`);
      return Promise.resolve([steps({ code: label === "begin the change" ? 0 : confirmed })]);
    },
    fetch: () => Promise.reject(unreachable()),
    stats: () => noStats,
    close: () => Promise.resolve(void log.push(`${name}: closed`)),
  });
  const state = { knowledge: new Knowledge(), mutex: new HostMutex(), sessions: new Set<Host>() };
  const heard = { connected: () => undefined, notice: () => undefined };
  const [root, ana] = ["root", "ana"].map(
    (name) => new Host("h", name, state, () => Promise.resolve(sessionOf(name)), heard),
  );
  const { signal } = new AbortController();
  await ana?.frame({ items: [] }, signal);
  await confirmChange(root as Host, { step: "confirm", undo: "network", withinSeconds: 30 }, signal, () => undefined);
  expect(log).toEqual(["ana: ", "root: begin the change", "root: closed", "ana: closed", "root: confirm the change"]);
});

describe("a change that is not confirmed", () => {
  const errorOf = (...answers: readonly Answer[]): Promise<unknown> =>
    confirm(...answers).catch((error: unknown) => error);

  test("fails with the reason why it did not take effect, once the host has reverted it", async () => {
    const without = { code: withoutEffect, text: "the gateway does not answer" };
    expect(await errorOf({ code: done, text: "t" }, without, { code: pending }, { code: reverted })).toMatchObject({
      code: "E_NOT_CONFIRMED",
      failure: { current: "the gateway does not answer", where: { host: "h" } },
    });
  });

  test("fails with the last connection failure", async () => {
    expect(await errorOf("refused", "refused", { code: reverted })).toMatchObject({
      code: "E_NOT_CONFIRMED",
      failure: { current: "no connection" },
    });
  });

  test("fails with what the host's tool printed", async () => {
    expect(await errorOf({ code: failed, text: "no such file\nbad" }, { code: reverted })).toMatchObject({
      code: "E_STEP",
      failure: { details: ["no such file", "bad"] },
    });
  });

  test.each([
    { what: "at once", answers: [{ code: unknown }] },
    { what: "after a failure to connect without a token", answers: ["refused" as const, { code: unknown }] },
    { what: "although the host answered each attempt", answers: [{ code: done, text: "t" }, { code: unknown }] },
  ])("does not count as confirmed if the host has no record of it: $what", async ({ answers }) => {
    expect(await errorOf(...answers)).toMatchObject({ code: "E_NOT_CONFIRMED", failure: { where: { host: "h" } } });
  });

  test("fails with the location of the files that the host could not restore", async () => {
    const answer = { code: notRestored, text: "not all files could be restored: they are in /x.tar\n" };
    expect(await errorOf({ code: failed, text: "bad" }, answer)).toMatchObject({
      code: "E_STEP",
      failure: { details: ["not all files could be restored: they are in /x.tar", "bad"] },
    });
  });

  test("fails if the host does not answer even after the revert is due", async () => {
    expect(await errorOf("refused")).toMatchObject({ code: "E_UNREACHABLE" });
    expect(at).toBeGreaterThan(90_000);
  });
});
