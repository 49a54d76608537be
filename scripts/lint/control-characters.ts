import type { Rule } from "./rule.ts";

/**
 * Forbids control characters other than tabs and line ends, because git and grep treat a file that contains NUL as
 * binary.
 */
export const controlCharacters: Rule = {
  meta: { type: "problem", docs: { description: "sources contain no raw control characters" } },
  create(context) {
    return {
      Program(node) {
        const { text } = context.sourceCode;
        for (let at = 0; at < text.length; at += 1) {
          const code = text.charCodeAt(at);
          if (code === 9 || code === 10 || (code >= 32 && code !== 127)) continue;
          const line = text.slice(0, at).split("\n").length;
          const escape = `\\u${code.toString(16).padStart(4, "0")}`;
          context.report({ message: `line ${line} has a raw control character: write ${escape}`, node });
          return;
        }
      },
    };
  },
};
