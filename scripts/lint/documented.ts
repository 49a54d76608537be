import type { Rule } from "./rule.ts";

/**
 * Requires each exported declaration to have a docstring that says what it is; a re-exported name is documented where
 * it is declared.
 */
export const documented: Rule = {
  meta: { type: "suggestion", docs: { description: "every export has a docstring" } },
  create(context) {
    let previous: string | undefined;
    return {
      ExportNamedDeclaration(node) {
        const declared = node.declaration;
        if (declared === null) return;
        const name = nameOf(declared as never);
        const isOverload = name !== undefined && name === previous;
        previous = name;
        if (isOverload) return;
        const comment = context.sourceCode.getCommentsBefore(node).at(-1);
        if (comment?.type === "Block" && comment.value.startsWith("*")) return;
        context.report({
          message: `"${name ?? "this export"}" has no docstring: say in one line what it is, with units, shapes and errors thrown`,
          node,
        });
      },
    };
  },
};

interface Declared {
  readonly id?: { readonly name?: string } | null;
  readonly declarations?: readonly { readonly id: { readonly name?: string } }[];
}

function nameOf(declared: Declared): string | undefined {
  return declared.id?.name ?? declared.declarations?.[0]?.id.name;
}
