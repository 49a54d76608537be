import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { labDown, labUp } from "../../src/lab/index.ts";
import { covered } from "../covered.ts";

/** Number of runs on a host, set by `FURROW_STAND_STILL_RUNS`. Three runs take about 4 s on an idle machine. */
const wanted = Number(process.env["FURROW_STAND_STILL_RUNS"] ?? 30);
const hosts = 3;
const name = `still-${process.pid}`;
const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(root, ".still-"));
/** Processes that keep the machine busy, unless other work already does. */
const spinners =
  (loadavg()[0] ?? 0) > 2 ? [] : [0, 1].map(() => spawn("sh", ["-c", "while :; do :; done"], { stdio: "ignore" }));

const playbook = `import { playbook, z } from "furrow";
import * as t from "furrow/tasks";

export default playbook({
  name: "Seven tasks",
  vars: z.object({ n: z.coerce.number() }),
  plays: [{ hosts: "all", become: true, tasks: ({ vars: { n } }) => [
    t.file({ path: \`/srv/dir-\${n}\`, state: "directory" }),
    t.service({ name: "cron", state: n % 2 === 0 ? "started" : "stopped" }),
    t.file({ path: "/srv/conf", content: \`n = \${n}\\n\` }),
    t.directoryTree({ source: ${JSON.stringify(join(folder, "tree"))}, path: "/srv/tree" }),
    t.command({ command: "sleep 1; touch /srv/made-" + n, creates: \`/srv/made-\${n}\`, disturbs: ["file:/srv/**"] }),
    t.file({ path: "/srv/one", content: \`one \${n}\\n\` }),
    t.file({ path: "/srv/two", content: \`two \${n}\\n\` }),
  ] }],
});
`;

beforeAll(async () => {
  mkdirSync(join(folder, "tree"));
  for (const file of ["a", "b", "c"]) writeFileSync(join(folder, "tree", file), `${file}\n`);
  writeFileSync(join(folder, "seven.ts"), playbook);
  await labUp({ hosts, name, replace: true });
});
afterAll(async () => {
  for (const spinner of spinners) spinner.kill("SIGKILL");
  await labDown({ name });
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the playbook once on all hosts. Returns undefined if the run was stuck for a minute. */
function run(n: number): Promise<{ code: number | null; text: string } | undefined> {
  const args = [
    "bin/furrow.js",
    "run",
    join(folder, "seven.ts"),
    "-i",
    "inventory/lab.ts",
    "--no-fold",
    "--var",
    `n=${n}`,
  ];
  const env = { ...process.env, FURROW_LAB_NAME: name, NO_COLOR: "1" };
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  child.stdout.on("data", (part: Buffer) => (text += part.toString()));
  child.stderr.on("data", (part: Buffer) => (text += part.toString()));
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      resolve(undefined);
    }, 600_000);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code, text });
    });
  });
}

test(
  "seven tasks with a converged directoryTree in the middle never get stuck on a busy machine",
  async () => {
    let done = 0;
    for (let n = 1; done < wanted; n += 1) {
      const ended = await run(n);
      expect(ended, `run ${n} stood still`).toMatchObject({ code: 0 });
      expect(ended?.text.match(/[67] changed/g)?.length, ended?.text).toBeGreaterThanOrEqual(hosts);
      done += hosts;
    }
    covered(`${done} runs of seven tasks on a busy machine's hosts, none of which got stuck`);
  },
  wanted * 20_000,
);
