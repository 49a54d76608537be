import { afterAll, beforeAll, expect, it } from "vitest";
import { type Lab, labDown, labUp } from "../../src/lab/index.ts";
import { Screens } from "../screens/screens.ts";

const name = "readme";
let lab: Lab;
const screens = new Screens("README", "What README.md shows.");

beforeAll(async () => {
  lab = await labUp({ hosts: 1, name, replace: true });
  const [host] = lab.hosts;
  screens.put(
    "inventory.ts",
    `import { inventory } from "furrow";
export default inventory({
  hosts: { web1: { address: "${host?.address}", user: "root", identityFile: "${lab.identityFile}", knownHostsFile: "${lab.knownHostsFile}" } },
});
`,
  );
});

afterAll(async () => {
  screens.remove();
  await labDown({ name });
});

const playbook = new URL("../../playbooks/web.ts", import.meta.url).pathname;
const argv = [playbook, "-i", "inventory.ts"];

it("README.md shows what the playbook's check prints for a fresh host", async () => {
  const { code, text } = await screens.run(["check", ...argv]);
  expect(code, text).toBe(0);
  const command = "$ npx furrow check playbooks/web.ts -i inventory.ts";
  // The duration depends on this machine.
  const said = text.replace(/ in \d+(\.\d+)? m?s$/m, "");
  await expect(`${command}\n${said.trimEnd()}\n`).toMatchFileSnapshot("web-check.txt");
});

it("the run makes the changes that check predicted, and a second run changes nothing", async () => {
  const run = await screens.run(["run", ...argv]);
  expect(run.code, run.text).toBe(0);
  expect(run.text).toContain("changed      package nginx");
  const again = await screens.run(["run", ...argv]);
  expect(again.text).toContain("0 changed, 3 ok on 1 host");
});
