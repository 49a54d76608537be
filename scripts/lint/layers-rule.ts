import { importFault } from "./imports.ts";
import type { Rule } from "./rule.ts";

/** Enforces the table of layers in `layers.ts`, which says which layer may import which. */
export const layersRule: Rule = {
  meta: { type: "problem", docs: { description: "imports follow the layers of ARCHITECTURE.md" } },
  create(context) {
    const file = context.filename;
    const look = (source: { type: string; value?: unknown } | null): void => {
      if (source === null || typeof source.value !== "string") return;
      const message = importFault(file, source.value);
      if (message !== undefined) context.report({ message, node: source as never });
    };
    return {
      ImportDeclaration: (node) => look(node.source),
      ExportNamedDeclaration: (node) => look(node.source),
      ExportAllDeclaration: (node) => look(node.source),
      ImportExpression: (node) => look(node.source),
      TSImportType: (node) => look(node.source),
    };
  },
};
