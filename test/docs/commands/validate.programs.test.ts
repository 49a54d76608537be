import { afterAll, beforeAll, expect, test } from "vitest";
import { Clone } from "../../cloud/pages/clone.ts";
import { covered } from "../../covered.ts";
import { commandsOf, guide, putFiles } from "../../kube/pages/perform.ts";
import { validated } from "./unrun.ts";

let clone: Clone;
beforeAll(() => {
  clone = new Clone();
  for (const name of ["BMC_PASSWORD", "RKE2_TOKEN"]) clone.env[name] = "correct-horse-battery";
});
afterAll(() => clone?.remove());

/** Other pages whose files a block names. */
const filesOf: Readonly<Record<string, string>> = {
  "harvester/reports": "harvester/operations",
};

/** The command that checks the words of another one without a host. */
function checking(command: string): string {
  return command.replace(/npx furrow (run|check) /, "npx furrow validate ");
}

test.each(validated.map(([page, start]) => [`${guide(page)}: ${start}`, page, start] as const))(
  "%s is accepted, with the files of the page",
  { timeout: 300_000 },
  async (_, page, start) => {
    for (const one of [filesOf[page], page]) if (one !== undefined) putFiles(clone, one);
    const block = commandsOf(page, start);
    const text = block.text.split("\n").map(checking).join("\n");
    expect(text).not.toBe(block.text);
    await clone.run({ ...block, text });
    covered(`${guide(page)}: a block whose commands are only checked without a host`);
  },
);
