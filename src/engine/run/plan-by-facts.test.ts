import { describe, expect, test } from "vitest";
import { debianFacts as debian } from "../../../test/engine/debian-facts.ts";
import { type Ran, runPlays, type RunSettings } from "../../../test/engine/runs.ts";
import { set } from "../../../test/engine/toy-tasks.ts";
import type { HostFacts, PlayContext } from "../../core/authoring/playbook.ts";
import { nested } from "../../core/authoring/group.ts";
import { pendingSecret, pendingSecrets } from "../../core/secrets/secret.ts";
import type { RunRequest } from "../plan/request.ts";

const suse: HostFacts = { ...debian, os: { id: "sles", version: "15.6", like: ["sles", "suse"] } };
const cells = { debian: { v: 1, w: "" }, "15.6": { v: 1, w: "" }, "12": { v: 1, w: "" } };

/**
 * Runs a play that uses facts on a Debian host. An earlier run, if there was one, found the same facts or different
 * ones.
 */
async function runAfter(
  last: HostFacts | undefined,
  settings: RunSettings = {},
  body = ({ facts }: PlayContext<never>): ReturnType<typeof set>[] => [
    set({ cell: facts.os.id, v: 1 }),
    set({ cell: facts.os.version, v: 1 }),
  ],
): Promise<Ran & { frames: number; kept: HostFacts | undefined }> {
  let kept = last;
  const remembered: RunRequest["remembered"] = { get: () => kept, set: (_, facts) => void (kept = facts) };
  const request = { ...settings.request, remembered };
  const ran = await runPlays([{ hosts: "all", tasks: body }], { cells, facts: debian, ...settings, request });
  return { ...ran, frames: ran.hosts.get("a")?.counts.frames ?? 0, kept };
}

describe("a play that uses the facts of its host", () => {
  test.each([
    { what: "nothing is remembered", last: undefined, frames: 2 },
    { what: "the remembered facts are unchanged", last: debian, frames: 1 },
    { what: "the remembered facts have changed", last: suse, frames: 2 },
  ])("takes $frames frames if $what, and remembers the facts that it read", async ({ last, frames }) => {
    const ran = await runAfter(last);
    expect(ran.ends).toEqual(["a set debian ok", "a set 12 ok"]);
    expect(ran).toMatchObject({ frames, kept: debian });
  });

  test("reports the same events, regardless of the remembered facts", async () => {
    const runs = [undefined, debian, suse].map(async (last) => {
      const { events } = await runAfter(last, { cells: { debian: { v: 7, w: "" } } });
      return events.map((event) => JSON.stringify({ ...event, durationMs: 0, recap: 0, at: 0 }));
    });
    const [first, ...others] = await Promise.all(runs);
    for (const other of others) expect(other).toEqual(first);
  });

  test("ignores an error that its body throws for remembered facts", async () => {
    const ran = await runAfter(suse, {}, ({ facts }) => {
      if (facts.os.id === "sles") throw new Error("SLES is not Debian");
      return [set({ cell: facts.os.id, v: 1 })];
    });
    expect(ran.ends).toEqual(["a set debian ok"]);
    expect(ran.result.errors).toEqual([]);
  });

  test("reads the facts of a host's tasks only when it is that host's turn", async () => {
    const ran = await runAfter(debian, { hosts: ["a", "b"], request: { forks: 1 } });
    expect(ran.frames).toBe(2);
  });

  test("registers no hosts that its body names only because of outdated facts", async () => {
    const made: string[] = [];
    const newHost: RunRequest["newHost"] = ({ name, address }) => {
      made.push(name);
      return { name, address, groups: [], vars: {} };
    };
    for (const last of [debian, suse]) {
      const body = ({ facts }: PlayContext<never>) => [nested({ name: facts.os.id, address: "10.0.0.1" }, [])];
      await runAfter(last, { request: { newHost } }, body as never);
    }
    expect(made).toEqual(["debian", "debian"]);
  });

  test("forgets the secrets that a body created when it ran with wrong facts", async () => {
    const asked = (): unknown[] => pendingSecrets().map(({ name }) => name);
    await runAfter(suse, {}, ({ facts }) => {
      pendingSecret({ from: "env", variable: `FURROW_${facts.os.id}` }, facts.os.id);
      return [];
    });
    expect(asked()).toEqual(["debian"]);
  });
});
