import type { Rule } from "./rule.ts";

interface Part {
  readonly type: string;
  readonly key?: { readonly name?: string };
  readonly value?: unknown;
  readonly quasis?: readonly { readonly value: { readonly cooked?: string | null } }[];
}

/** Checks of an error's texts, keyed by the texts' property names in `new FurrowError` and `refuse`. */
const faults: Readonly<Record<string, (text: string) => string | undefined>> = {
  what: sentence,
  message: sentence,
  hint: (text) =>
    /^[A-Z]/.test(text)
      ? sentence(text)
      : `a hint says what to do, as a sentence that begins with a verb: "${text.slice(0, 30)}" does not begin with a capital`,
};

function sentence(text: string): string | undefined {
  return /[^.]\.$/.test(text) ? `an error's text must not end with a period: "${text.slice(-30)}"` : undefined;
}

/**
 * Requires all errors to have the same form: what failed, without a period at the end, and a hint that begins with a
 * verb.
 */
export const errorText: Rule = {
  meta: { type: "suggestion", docs: { description: "the texts of errors have one form" } },
  create(context) {
    const look = (object: unknown): void => {
      const { type, properties } = (object ?? {}) as { type?: string; properties?: readonly Part[] };
      if (type !== "ObjectExpression") return;
      for (const property of properties ?? []) {
        const message = faults[property.key?.name ?? ""]?.(textOf(property.value as Part) ?? "A");
        if (message !== undefined) context.report({ message, node: property as never });
      }
    };
    return {
      NewExpression: (node) => {
        if (node.callee.type === "Identifier" && node.callee.name === "FurrowError") look(node.arguments[1]);
      },
      CallExpression: (node) => {
        if (node.callee.type === "Identifier" && node.callee.name === "refuse") look(node.arguments[0]);
      },
    };
  },
};

/** The text of a literal or template; each value in a template is replaced by one letter. */
function textOf(node: Part): string | undefined {
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : undefined;
  if (node.type !== "TemplateLiteral") return undefined;
  return node.quasis?.map(({ value }) => value.cooked ?? "").join("X");
}
