import type { CoverageRow } from "./coverage-row.ts";
import { chapters, coverageRows } from "./coverage-rows.ts";
import { cell, markdownMark, type Page } from "./page.ts";

/** The page that lists what furrow can do to operate a Harvester cluster, and which tests prove it. */
export function coveragePage(): Page {
  const built = coverageRows.filter(({ tests }) => tests !== undefined);
  const blocks = [
    markdownMark,
    "# Which Harvester operations does furrow cover?",
    `Each row is something that operators of Harvester do. ${built.length} of ${coverageRows.length} are built; a row names its role, its playbook and the tests that prove it. A test checks that these exist. Tests in \`test/kube\` run against a real Kubernetes API server with Harvester's kinds; nobody has run these playbooks on a Harvester cluster. [The deployment itself](harvester-cases.md) has its own page.`,
    ...Object.entries(chapters).flatMap(([letter, title]) => [
      `## ${title}`,
      ["| | what | role | playbook | tests | missing |", "| --- | --- | --- | --- | --- | --- |"]
        .concat(coverageRows.filter(({ id }) => id.startsWith(letter)).map(line))
        .join("\n"),
    ]),
  ];
  return { path: "docs/coverage.md", text: `${blocks.join("\n\n")}\n` };
}

function line({ id, capability, roles = [], playbooks = [], tests, missing }: CoverageRow): string {
  const cells = [
    id,
    cell(capability),
    roles.map((name) => `[${name}](../roles/${name})`).join(", "),
    playbooks.map((name) => `[${name}](../playbooks/${name})`).join(", "),
    Object.entries(tests ?? {})
      .map(([path, titles]) => `[${path.split("/").at(-1)}](../${path}): ${titles.map(cell).join("; ")}`)
      .join("<br>"),
    missing ?? (tests === undefined ? "not built" : ""),
  ];
  return `| ${cells.join(" | ")} |`;
}
