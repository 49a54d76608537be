import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { corpus, lay, listed, withoutSecrets } from "./harness.ts";

const root = mkdtempSync(join(tmpdir(), "furrow-recorded-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const recorded = new Map(
  readFileSync(join(import.meta.dirname, "recorded.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { name: string; listed: unknown })
    .map(({ name, listed: said }) => [name, said]),
);

describe("what ansible-inventory says of the corpus", () => {
  it.each(corpus.map((one) => [one.name, one] as const))("%s", async (name, one) => {
    const ours = await listed(lay(one, root));
    expect(ours).toEqual(withoutSecrets(recorded.get(name), ours));
  });
});
