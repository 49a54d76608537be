import { relative } from "node:path";
import { rootOf } from "./imports.ts";
import type { Rule } from "./rule.ts";

const vague = /^(utils?|helpers?|managers?|common|misc|shared)$/;

/**
 * Forbids vague names. A file or folder must be named after its content. A name like "utils" excludes nothing, so such
 * a file grows without limit.
 */
export const named: Rule = {
  meta: { type: "suggestion", docs: { description: "no file or folder is named utils, helpers or manager" } },
  create(context) {
    return {
      Program(node) {
        const path = relative(rootOf(context.filename), context.filename);
        const word = path.split(/[/.-]/).find((part) => vague.test(part));
        if (word === undefined) return;
        context.report({ message: `"${path}" has "${word}" in its name: name it after its content`, node });
      },
    };
  },
};
