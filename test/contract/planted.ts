import { absent, type Fact, file, task, text, z } from "../../src/authoring.ts";
import { type Case, contractOf } from "../../src/testing/index.ts";

/** The params of the planted task, each with a description. */
export const parts = { path: z.string().describe("Where"), content: text().default("").describe("What") };
/** The schema of the planted task's params. */
export const params = z.strictObject(parts);
/** The params that the planted task's functions receive. */
export type Params = z.output<typeof params>;
type Card = Parameters<typeof task<typeof params>>[0];

/** The planted task's card. */
export const card: Card = { name: "motd", summary: "Keep a file", params, examples: [{ path: "/a" }] };
/** The facts of an existing file on a host. */
export const there = { type: "file", mode: "0644", owner: "root", group: "root", text: "" };

/** A task's functions, loosely typed: the compiler would reject many of the planted mistakes. */
export interface Links {
  readonly facts: (p: Params) => Record<string, Fact>;
  readonly want: (p: Params, now: never) => object;
  readonly steps: (p: Params, context: never) => readonly unknown[];
}

/** A task that obeys every law, with some of its parts replaced. */
export function planted(own: Partial<Links>, over: object = {}) {
  const links: Links = {
    facts: ({ path }) => ({ own: file(path, ["text"]) }),
    want: ({ content }) => ({ own: { type: "file", text: content } }),
    steps: ({ path, content }) => [{ step: "writeFile", path, text: content }],
    ...own,
  };
  return task({ ...card, ...over })
    .facts(links.facts)
    .want(links.want as never)
    .steps(links.steps as never);
}

type Module = ReturnType<typeof planted>;
/** Cases for a task that obeys every law. */
export const casesOf = (module: Module, content = ""): readonly Case[] => [
  { title: "absent", call: module({ path: "/a", content }), now: { own: absent }, steps: ["write /a"] },
  {
    title: "already up to date",
    call: module({ path: "/a", content }),
    now: { own: { ...there, text: content } },
    steps: [],
  },
];
/** The laws that a task breaks, as one string. */
export const broken = (module: Module, cases = casesOf(module), folder = "motd"): string =>
  contractOf(module, cases, { folder }).join("\n");
