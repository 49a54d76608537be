import { createHash } from "node:crypto";
import { drifting, type Plan, type PlanName, statLine } from "./plan.ts";

/** A file and its complete content. */
export interface TextFile {
  readonly path: string;
  readonly content: string;
}

/** The part of a plan that consists of directories (0755) and files (0644) owned by root. */
export function planOfFiles(name: PlanName, directories: readonly string[], files: readonly TextFile[]): Plan {
  const paths = [...directories, ...files.map(({ path }) => path)];
  return {
    name,
    tasks: paths.length,
    remove: `rm -rf ${paths.join(" ")} /var/lib/furrow`,
    ...drifting(files[0]?.path ?? ""),
    look: `stat -c '%n %F %a %U:%G' ${paths.join(" ")}; sha256sum ${files.map(({ path }) => path).join(" ")}`,
    wanted: [
      ...directories.map((path) => statLine(path, "directory", "755")),
      ...files.map(({ path }) => statLine(path, "regular file", "644")),
      ...files.map(({ path, content }) => `${createHash("sha256").update(content).digest("hex")}  ${path}`),
    ].toSorted(),
    paths,
  };
}
