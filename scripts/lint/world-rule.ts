import { relative } from "node:path";
import { isTest, rootOf } from "./imports.ts";
import type { Rule } from "./rule.ts";

/**
 * The folders in which time, randomness and this machine may be accessed only through `src/core/world.ts` and
 * `src/transport/outside.ts`.
 */
const held = ["src/engine/", "src/transport/"];
const doors = new Set(["src/transport/outside.ts", "src/transport/simulated.ts"]);

const modules = new Set(
  ["timers", "timers/promises", "fs", "fs/promises", "net", "child_process"].map((name) => `node:${name}`),
);
/**
 * A package that uses Node's timers to wait: code that makes connections may use it, but code that sends frames may
 * not.
 */
const framesMayNot = "p-retry";
const randomNames = /^random/;
const globals = new Set(["setTimeout", "setInterval", "setImmediate"]);
const members: Readonly<Record<string, readonly string[]>> = {
  performance: ["now"],
  Date: ["now"],
  Math: ["random"],
  AbortSignal: ["timeout"],
  process: ["hrtime"],
};

interface Import {
  readonly importKind?: string;
  readonly source: { readonly value?: unknown };
  readonly specifiers: readonly { readonly imported?: { readonly name?: string } }[];
}

/** Why an import must use the world modules instead; undefined if it is allowed. */
function importFault(path: string, { importKind, source, specifiers }: Import): string | undefined {
  const { value } = source;
  if (importKind === "type" || typeof value !== "string") return undefined;
  if (modules.has(value)) return value;
  if (value === framesMayNot && !path.startsWith("src/transport/ssh/") && path.includes("/frame/")) return value;
  if (value === framesMayNot && path.startsWith("src/engine/")) return value;
  const random = specifiers.find(({ imported }) => randomNames.test(imported?.name ?? ""))?.imported?.name;
  return value === "node:crypto" && random !== undefined ? `${random} of node:crypto` : undefined;
}

/**
 * Restricts the engine and the transport to one source of time, randomness, files and sockets, so that a simulation can
 * replay a run.
 */
export const worldRule: Rule = {
  meta: {
    type: "problem",
    docs: { description: "time, randomness and files come from src/core/world.ts and outside.ts" },
  },
  create(context) {
    const path = relative(rootOf(context.filename), context.filename);
    const free = isTest(path) || path.endsWith(".fixture.ts") || doors.has(path);
    if (free || !held.some((folder) => path.startsWith(folder))) return {};
    const report = (what: string | undefined, node: unknown): void => {
      if (what === undefined) return;
      const message = `${what} cannot be simulated: use it through src/core/world.ts, or from src/transport/outside.ts`;
      context.report({ message, node: node as never });
    };
    return {
      ImportDeclaration: (node) => report(importFault(path, node as unknown as Import), node),
      CallExpression: ({ callee, ...node }) => {
        if (callee.type === "Identifier" && globals.has(callee.name)) report(callee.name, node);
        if (callee.type !== "MemberExpression" || callee.object.type !== "Identifier") return;
        const { object, property } = callee;
        if (property.type !== "Identifier" || members[object.name]?.includes(property.name) !== true) return;
        report(`${object.name}.${property.name}`, node);
      },
      NewExpression: (node) => {
        const { callee } = node;
        if (callee.type === "Identifier" && callee.name === "Date" && node.arguments.length === 0) {
          report("new Date", node);
        }
      },
    };
  },
};
