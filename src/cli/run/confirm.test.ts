import { describe, expect, it } from "vitest";
import { type Confirmation, playbook, secret, z } from "../../authoring.ts";
import type { FurrowError } from "../../core/errors.ts";
import type { Mode } from "../../core/events.ts";
import type { RunHost } from "../../engine/plan/request.ts";
import { type Asking, confirmRun } from "./confirm.ts";

const hosts: RunHost[] = ["web1", "web2"].map((name) => ({ name, address: name, groups: [], vars: {} }));
const { signal } = new AbortController();

interface Asked {
  readonly questions: string[];
  readonly error: FurrowError | undefined;
}

/** Asks the questions of this `confirm` and gives these answers. Returns the questions and the result. */
async function asked(
  confirm: (host: string) => Confirmation | undefined,
  answers: readonly (string | undefined)[],
  more: Partial<Asking> & { readonly mode?: Mode } = {},
): Promise<Asked> {
  const book = playbook({
    name: "An end",
    vars: z.object({ app: z.string() }),
    confirm: ({ host }) => confirm(host.name),
    plays: [],
  });
  const questions: string[] = [];
  const ask: Asking["ask"] = (before, question) => Promise.resolve(answers[questions.push(before + question) - 1]);
  const { mode = "apply", ...asking } = more;
  const request = { playbook: book, mode, varsOf: () => ({ app: "shop" }) };
  const error = await confirmRun(request, hosts, { yes: false, signal, ask, ...asking }).then(
    () => undefined,
    (thrown: unknown) => thrown as FurrowError,
  );
  return { questions, error };
}

const shop = (host: string): Confirmation => ({ lost: `/srv/shop of ${host}`, typeBack: "shop" });

describe("the question before data is lost", () => {
  it("names everything that will be lost, and is asked once for each text to type", async () => {
    expect(await asked(shop, ["shop"])).toEqual({
      questions: ["This will be lost for good:\n  /srv/shop of web1\n  /srv/shop of web2\nType shop to continue:"],
      error: undefined,
    });
    const each = await asked((host) => ({ lost: `all of ${host}`, typeBack: host }), ["web1", " web2 "]);
    expect(each.questions.map((text) => text.split("\n").at(-1))).toEqual([
      "Type web1 to continue:",
      "Type web2 to continue:",
    ]);
    expect(each.error).toBeUndefined();
    const one = await asked((host) => (host === "web2" ? shop(host) : undefined), ["shop"]);
    expect(one.questions).toEqual(["This will be lost for good:\n  /srv/shop of web2\nType shop to continue:"]);
  });

  it.each([["Shop"], [""], ["yes"]])("ends the run if %j is typed, and asks nothing else", async (typed) => {
    const { questions, error } = await asked((host) => ({ lost: host, typeBack: host }), [typed]);
    expect(questions).toHaveLength(1);
    expect(error?.code).toBe("E_REFUSED");
    expect(error?.failure).toMatchObject({
      what: "web1 was not typed back, so nothing was changed",
      expected: '"web1"',
      hint: "Rerun and type web1, or pass --yes",
    });
  });

  it("is a usage error without a terminal", async () => {
    const { error } = await asked(shop, [undefined]);
    expect(error?.code).toBe("E_USAGE");
    expect(error?.failure.current).toBe("will be lost for good: /srv/shop of web1; /srv/shop of web2");
    expect(error?.failure.hint).toMatch(/^Pass --yes/);
  });

  it("is not asked with --yes, in check mode, or if nothing is lost", async () => {
    expect(await asked(shop, [], { yes: true })).toEqual({ questions: [], error: undefined });
    expect(await asked(shop, [], { mode: "check" })).toEqual({ questions: [], error: undefined });
    expect(await asked(() => undefined, [])).toEqual({ questions: [], error: undefined });
  });

  it("escapes control characters and prints no secret", async () => {
    const { questions } = await asked(() => ({ lost: `\u001b[2J${secret.env("PASS")}`, typeBack: "x" }), ["x"]);
    expect(questions[0]).toContain(String.raw`  \x1b[2J«secret PASS»`);
  });

  it.each<[string, () => Confirmation]>([
    ["is empty", () => ({ lost: "all", typeBack: " " })],
    ["is secret", () => ({ lost: "all", typeBack: `${secret.env("PASS")}` })],
    ["is not a string", () => ({ lost: "all", typeBack: 1 as unknown as string })],
    ["cannot be computed", () => JSON.parse("{") as Confirmation],
  ])("is a playbook error if the text to type %s, even in check mode and with --yes", async (_what, confirm) => {
    for (const more of [{}, { yes: true }, { mode: "check" }] as const) {
      const { questions, error } = await asked(confirm, [], more);
      expect(questions).toEqual([]);
      expect(error?.code).toBe("E_PLAYBOOK");
      expect(error?.failure.where?.host).toBe("web1");
    }
  });
});
