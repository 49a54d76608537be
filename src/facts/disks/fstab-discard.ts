/**
 * The text of an fstab with the `discard` option removed from all file systems (fstab(5)). Comments, all other options
 * and the space between the fields stay as they are. Swap keeps its `discard` option, which has a different meaning
 * (swapon(8)).
 */
export function withoutDiscard(text: string): string {
  return text
    .split("\n")
    .map((line) => {
      const [, before, fileSystem, gap, options, after] =
        /^(\s*[^\s#]\S*\s+\S+\s+)(\S+)(\s+)(\S+)(.*)$/.exec(line) ?? [];
      if (options === undefined || fileSystem === "swap") return line;
      const kept = options.split(",").filter((option) => option !== "discard" && !option.startsWith("discard="));
      return `${before}${fileSystem}${gap}${kept.join(",") || "defaults"}${after}`;
    })
    .join("\n");
}
