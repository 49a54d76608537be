/** A fenced block of a Markdown page. */
export interface Block {
  /** Such as `ts`, `console` or `text`. */
  readonly language: string;
  /** The text after the language: the path of the file that the block shows. */
  readonly name: string | undefined;
  readonly text: string;
  /** Line number of the opening fence, counted from 1. */
  readonly line: number;
}

const fence = /^```([a-z]*)(?: (\S+))?\n([^]*?)^```$/gm;

/** All fenced blocks of a page, in order. Fences begin at the start of a line. */
export function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(fence)].map((match) => {
    const [, language = "", name, text = ""] = match;
    return { language, name, text, line: markdown.slice(0, match.index).split("\n").length };
  });
}

/** Returns the page with new text in its blocks; `fill` returns undefined for a block that stays unchanged. */
export function withBlocks(markdown: string, fill: (block: Block) => string | undefined): string {
  const blocks = blocksOf(markdown)[Symbol.iterator]();
  return markdown.replaceAll(fence, (whole: string, language: string, name: string | undefined) => {
    const block = blocks.next().value;
    const text = block && fill(block);
    return text === undefined
      ? whole
      : `\`\`\`${[language, name].filter(Boolean).join(" ")}\n${text.trimEnd()}\n\`\`\``;
  });
}
