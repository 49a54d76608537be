import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "furrow-limit-"));
afterAll(() => rmSync(folder, { recursive: true }));

const inventory = join(folder, "inventory.ts");
writeFileSync(
  inventory,
  `import { inventory } from ${JSON.stringify(join(root, "src/authoring.ts"))};
export default inventory({ hosts: { web1: { transport: "local" }, web2: { transport: "local" } } });
`,
);

function furrow(...words: readonly string[]): {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
} {
  const argv = [join(root, "bin/furrow.js"), ...words];
  const env = { ...process.env, XDG_STATE_HOME: join(folder, "state") };
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: "utf8", env });
  return { code: status, out: stdout, err: stderr };
}

test("run and check with --limit say that `hosts` is incomplete, and `allHosts` contains every host", () => {
  const content = 'content: hosts.map(({ name }) => name + "\\n").join("")';
  const playbook = join(folder, "peers.ts");
  const write = (text: string): void =>
    writeFileSync(
      playbook,
      `import { playbook } from ${JSON.stringify(join(root, "src/authoring.ts"))};
import * as t from ${JSON.stringify(join(root, "tasks/index.ts"))};
export default playbook({
  name: "Peers",
  plays: [{ hosts: "all", tasks: ({ host, hosts, allHosts }) => [t.file({ path: "${folder}/peers." + host.name, ${text} })] }],
});
`,
    );
  write(content);
  const cut = furrow("run", playbook, "-i", inventory, "-l", "web2");
  expect(cut.code, cut.err).toBe(0);
  const notice =
    /play all reads `hosts` \(.*peers\.ts:5:\d+\), which contains 1 of the play's 2 hosts because of --limit; `allHosts` contains all of them/g;
  expect(cut.err.replaceAll("\n  ", " ").match(notice)).toHaveLength(1);
  expect(furrow("check", playbook, "-i", inventory).err).toBe("");
  expect(furrow("check", playbook, "-i", inventory, "-l", "web1,web2").err).toBe("");
  write(content.replace("hosts.map", "allHosts.map"));
  expect(furrow("run", playbook, "-i", inventory, "-l", "web2")).toMatchObject({ code: 0, err: "" });
  expect(readFileSync(join(folder, "peers.web2"), "utf8")).toBe("web1\nweb2\n");
});

test.each([
  { named: "exec", rest: ["--", "true"] },
  { named: "ping", rest: [] },
  { named: "facts", rest: [] },
])(
  "$named connects only to the hosts that --limit names, and refuses a limit that excludes every host",
  ({ named, rest }) => {
    const some = furrow(named, "all", "-i", inventory, "-l", "web2", ...rest);
    expect(some).toMatchObject({ code: 0, err: "" });
    expect(some.out).toContain("web2");
    expect(some.out).not.toContain("web1");
    for (const [pattern, limit] of [
      ["all", "web3"],
      ["web1", "web2"],
    ] as const) {
      const wrong = furrow(named, pattern, "-i", inventory, "-l", limit, ...rest);
      expect(wrong).toMatchObject({ code: 64, out: "" });
      expect(wrong.err).toMatch(new RegExp(`^E_PATTERN .*${limit}`));
    }
  },
);

test("ping says how many hosts answered if it contacted several", () => {
  expect(furrow("ping", "-i", inventory).out.trimEnd().split("\n").at(-1)).toBe("2 of 2 hosts answered");
  expect(furrow("ping", "web1", "-i", inventory).out).not.toContain("answered");
  expect(furrow("ping", "-i", inventory, "--json").out).not.toContain("answered");
});
