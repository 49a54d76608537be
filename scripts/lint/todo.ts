import type { Rule } from "./rule.ts";

/** Requires each comment about later work to cite an issue, because work without an issue is forgotten. */
export const todo: Rule = {
  meta: { type: "suggestion", docs: { description: "no TODO without an issue number" } },
  create(context) {
    return {
      Program() {
        for (const comment of context.sourceCode.getAllComments()) {
          const word = /\b(TODO|FIXME|XXX|HACK)\b(?!.{0,3}#\d)/.exec(comment.value)?.[1];
          if (word === undefined) continue;
          context.report({
            message: `${word} without an issue number: write "${word} #12" or do it now`,
            loc: comment.loc,
          });
        }
      },
    };
  },
};
