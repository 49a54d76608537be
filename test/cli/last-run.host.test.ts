import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { playbookOf, Screens } from "../screens/screens.ts";

const here = new Screens("", "");
afterAll(() => here.remove());
here.put("site.ts", playbookOf(`file({ path: "${join(here.folder, "out")}", state: "directory" }),`));

/** Tests what furrow remembers about the last run, for the host pattern `@failed`. About 15 s. */
describe("furrow run", () => {
  it("remembers which hosts failed, for @failed", async () => {
    const inventory = ["a", "b", "c"].map((name) => `${name}: { transport: "local" }`).join(", ");
    here.put(
      "three.ts",
      `import { inventory } from "furrow";\nexport default inventory({ hosts: { ${inventory} } });\n`,
    );
    const tasks = 'host.name === "b" && command({ command: "exit 1", always: true }),';
    here.put("fails.ts", playbookOf(tasks, { imports: "command" }).replace("tasks: ()", "tasks: ({ host })"));
    const seen = await here.run(["run", "fails.ts", "-i", "three.ts"]);
    expect(seen.code).toBe(1);
    const again = await here.run(["list", "fails.ts", "-i", "three.ts", "--limit", "@failed"]);
    expect(again.stdout).toContain("1 host: b");
  });

  it("keeps @failed per playbook and inventory: a successful run of another project does not empty it", async () => {
    const limited = ["list", "fails.ts", "-i", "three.ts", "--limit", "@failed"];
    expect((await here.run(["run", "site.ts", "-i", "local"])).code).toBe(0);
    expect((await here.run(limited)).stdout).toContain("1 host: b");
    expect((await here.run(["run", "fails.ts", "-i", "local"])).code).toBe(0);
    expect((await here.run(limited)).stdout).toContain("1 host: b");
    const other = await here.run(["list", "site.ts", "-i", "three.ts", "--limit", "@failed"]);
    expect(other.stderr).toMatch(/E_PATTERN.*no run is recorded/);
  });

  it("includes halted and unstarted hosts in @failed, and all hosts after a kill", async () => {
    const tasks = 'command({ command: host.name === "b" ? "exit 1" : "true", always: true }),';
    const halting = playbookOf(tasks, { imports: "command" }).replace(
      "tasks: ()",
      "serial: 1, anyFailureFatal: true, tasks: ({ host })",
    );
    here.put("halts.ts", halting);
    expect((await here.run(["run", "halts.ts", "-i", "three.ts"])).code).toBe(1);
    const limited = ["list", "halts.ts", "-i", "three.ts", "--limit", "@unfinished"];
    expect((await here.run(limited)).stdout).toContain("2 hosts: b, c");
    expect((await here.run([...limited.slice(0, -1), "@failed"])).stdout).toContain("1 host: b");
    const killing = 'command({ command: host.name === "b" ? `kill -9 ${process.pid}` : "sleep 0.3", always: true }),';
    here.put("halts.ts", halting.replace(tasks, killing));
    await here.run(["run", "halts.ts", "-i", "three.ts"]);
    expect((await here.run(limited)).stdout).toContain("2 hosts: b, c");
    expect((await here.run([...limited.slice(0, -1), "@failed"])).stderr).toMatch(
      /no host failed in the last run[^]*Write @unfinished/,
    );
    // The next run on this machine warns about the interrupted work. That run is started here, so that no other test's
    // output begins with the warning.
    expect((await here.run(["run", "site.ts", "-i", "local"])).stdout).toContain("was cut off");
    expect((await here.run(["run", "site.ts", "-i", "local"])).stdout).not.toContain("was cut off");
  });

  it("keeps @failed if a later run with --start-at skips the failed task and succeeds", async () => {
    const tasks =
      'command({ command: "exit 1", always: true }), command({ command: "true", always: true }, { name: "the rest" }),';
    here.put("start-at.ts", playbookOf(tasks, { imports: "command" }));
    const run = ["run", "start-at.ts", "-i", "three.ts"];
    expect((await here.run([...run, "--limit", "a,b"])).code).toBe(1);
    expect((await here.run([...run, "--limit", "@failed", "--start-at", "the rest"])).code).toBe(0);
    const limited = ["list", "start-at.ts", "-i", "three.ts", "--limit", "@failed"];
    expect((await here.run(limited)).stdout).toContain("2 hosts: a, b");
  });

  it("keeps @failed if a later run with other tags succeeds", async () => {
    const tasks =
      'command({ command: "true", always: true }, { tags: ["short"] }), command({ command: "exit 1", always: true }, { tags: ["long"] }),';
    here.put("tagged.ts", playbookOf(tasks, { imports: "command" }));
    const run = ["run", "tagged.ts", "-i", "three.ts"];
    const limited = ["list", "tagged.ts", "-i", "three.ts", "--limit"];
    expect((await here.run([...run, "--limit", "a,b"])).code).toBe(1);
    for (const tags of [
      ["--tags", "short"],
      ["--skip-tags", "long"],
    ]) {
      expect((await here.run([...run, ...tags])).code).toBe(0);
      for (const left of ["@failed", "@unfinished"]) {
        expect((await here.run([...limited, left])).stdout).toContain("2 hosts: a, b");
      }
    }
    here.put("tagged.ts", playbookOf(tasks.replace("exit 1", "true"), { imports: "command" }));
    expect((await here.run(run)).code).toBe(0);
    expect((await here.run([...limited, "@failed"])).stderr).toContain("no host failed in the last run");
  });
});
