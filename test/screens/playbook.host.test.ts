import { afterAll, describe, expect, it } from "vitest";
import { expectOnPage } from "./on-page.ts";
import { playbookOf, Screens, tasksOf } from "./screens.ts";

const screens = new Screens(
  "In a playbook",
  "furrow finds these mistakes before it connects; errors show the file and line of the playbook.",
);
afterAll(() => screens.remove());

const motd = 'file({ path: "/tmp/motd", content: "hello\\n" }),';

describe("mistakes in a playbook", () => {
  it.each<[title: string, code: string, text: string, says: RegExp]>([
    [
      "A misspelled param",
      "E_PARAMS",
      playbookOf('file({ path: "/tmp/motd", contnet: "hello\\n" }),'),
      /unknown param "contnet"[^]*site\.ts:10:9[^]*Write "content"/,
    ],
    [
      "A missing param",
      "E_PARAMS",
      playbookOf('file({ content: "hello\\n" }),'),
      /missing param "path"[^]*site\.ts:10:9/,
    ],
    ["A param of the wrong type", "E_PARAMS", playbookOf("file({ path: 7, content: '' }),"), /current +7/],
    [
      "A mode that is a number",
      "E_PARAMS",
      playbookOf('file({ path: "/tmp/motd", content: "", mode: 0o644 }),'),
      /param "mode"[^]*"0644"/,
    ],
    [
      "A bad mode",
      "E_PARAMS",
      playbookOf('file({ path: "/tmp/motd", content: "", mode: "rw-r--r--" }),'),
      /current +"rw-r--r--"[^]*octal/,
    ],
    ["A relative path", "E_PARAMS", playbookOf('file({ path: "etc/motd", content: "" }),'), /an absolute path/],
    ["A task that is not called", "E_PLAYBOOK", playbookOf("file,"), /a task module without a call/],
    [
      "An invalid cron schedule",
      "E_PARAMS",
      playbookOf('cron({ name: "backup", schedule: "61 2 * * *", command: "backup" }),', { imports: "cron" }),
      /61 2[^]*five fields/,
    ],
    [
      "Two tasks that want different content for one file",
      "E_CONFLICTING_WANTS",
      playbookOf(
        'file({ path: "/tmp/motd", content: "hello\\n" }),\n        file({ path: "/tmp/motd", content: "good day\\n" }),',
      ),
      /different values for text of file:\/tmp\/motd[^]*site\.ts:10:9[^]*site\.ts:11:17/,
    ],
    [
      "A line that the content of the same file does not contain",
      "E_CONFLICTING_WANTS",
      playbookOf(
        'file({ path: "/tmp/motd", content: "hello\\n" }),\n        fileLine({ path: "/tmp/motd", line: "good day" }),',
        { imports: "file, fileLine" },
      ),
      /wanted by fileLine \/tmp\/motd/,
    ],
    [
      "A syntax error",
      "E_PLAYBOOK",
      `import { playbook } from "furrow";\n\nexport default playbook({\n  name: "A small site",\n  plays: [,],,\n});\n`,
      /does not compile[^]*site\.ts:5:14/,
    ],
    [
      "TypeScript that cannot be erased",
      "E_PLAYBOOK",
      `enum Colour { Red }\n\nexport default Colour.Red;\n`,
      /site\.ts:1:1[^]*enum is not supported/,
    ],
    [
      "An import that does not exist",
      "E_PLAYBOOK",
      `import { bootServer } from "./roles/boot-server.ts";\n\nexport default bootServer;\n`,
      /boot-server\.ts does not exist/,
    ],
    [
      "A name that a module does not export",
      "E_PLAYBOOK",
      `import { playbok } from "furrow";\n\nexport default playbok({ name: "x", plays: [] });\n`,
      /site\.ts:1:10[^]*does not provide an export named 'playbok'/,
    ],
    [
      "An error while the playbook is read",
      "E_PLAYBOOK",
      `import { playbook } from "furrow";\n\nconst ports = JSON.parse(process.env.PORTS ?? "8080,8081") as number[];\n\nexport default playbook({ name: \`on \${ports[0]}\`, plays: [] });\n`,
      /threw SyntaxError[^]*site\.ts:3:20/,
    ],
    [
      "An error in the code of a play",
      "E_PLAYBOOK",
      playbookOf('file({ path: "/tmp/motd", content: motd.text }),').replace(
        "\nexport",
        "\nlet motd: { text: string };\n\nexport",
      ),
      /site\.ts:12:\d+[^]*Cannot read properties of undefined/,
    ],
    [
      "Several wrong tasks",
      "E_PARAMS",
      playbookOf(
        'file({ path: "/tmp/motd", contnet: "hello\\n" }),\nservice({ name: "nginx", state: "strated" }),\nfile({ content: "" }),',
        { imports: "file, service" },
      ),
      /contnet[^]*site\.ts:10:9[^]*site\.ts:11:9 {2}service:[^]*Write "started"[^]*site\.ts:12:9 {2}file: missing param "path"/,
    ],
    [
      "A misspelled task",
      "E_PLAYBOOK",
      playbookOf('t.servce({ name: "nginx" }),').replace("{ file }", "* as t"),
      /no task "servce"[^]*site\.ts:10:11[^]*Write "service"/,
    ],
    [
      "A misspelled value for a task with several forms",
      "E_PARAMS",
      playbookOf('pkg({ name: "nginx", state: "latst" }),', { imports: "pkg" }),
      /current +"latst"[^]*expected +"present"[^]*"latest"[^]*Write "latest"/,
    ],
    [
      "A misspelled package",
      "E_PLAYBOOK",
      `import { playbook } from "furow";\n\nexport default playbook({ name: "x", plays: [] });\n`,
      /site\.ts:1:27[^]*Write "furrow" instead of "furow"/,
    ],
    [
      "A misspelled var",
      "E_PLAYBOOK",
      playbookOf('file({ path: "/tmp/motd", content: `port=${vars.prot}` }),', {
        vars: "z.object({ port: z.number().default(80) })",
      }),
      /vars has no "prot"[^]*site\.ts:11:\d+[^]*one of port[^]*Write "port"/,
    ],
    [
      "A misspelled fact",
      "E_PLAYBOOK",
      playbookOf('file({ path: "/tmp/motd", content: facts.kernal }),').replace("tasks: ()", "tasks: ({ facts })"),
      /facts has no "kernal"[^]*site\.ts:10:\d+[^]*Write "kernel"/,
    ],
    [
      "No default export",
      "E_PLAYBOOK",
      `export const site = { hosts: "all" };\n`,
      /no default export[^]*it exports site/,
    ],
    [
      "A default export that is not a playbook",
      "E_PLAYBOOK",
      `export default { hosts: "all", tasks: [] };\n`,
      /is not a playbook/,
    ],
  ])("%s", async (title, code, text, says) => {
    const tasks = tasksOf(text);
    const show = tasks === undefined ? {} : { show: { "site.ts": tasks } };
    const files = { "site.ts": text };
    const seen = await screens.play({ title, files, ...show, args: ["check", "site.ts", "-i", "local"] });
    expect(seen.stderr).toMatch(new RegExp(`^${code} `));
    expect(seen.text).toMatch(says);
    expect(seen.text).toMatch(/hint +[A-Z]/);
    expect(seen.code).toBe(1);
  });

  it("A playbook in plain JavaScript that does not compile", async () => {
    const text = `import { playbook } from "furrow";\n\nconst plays = [];\nconst plays = [{ hosts: "all", tasks: () => [] }];\nexport default playbook({ name: "twice", plays });\n`;
    const title = "A playbook in plain JavaScript that does not compile";
    const seen = await screens.play({ title, files: { "site.js": text }, args: ["check", "site.js", "-i", "local"] });
    expect(seen.text).toMatch(/does not compile[^]*site\.js:4:7[^]*already been declared/);
    expect(seen.code).toBe(1);
  });

  it("A project made by npm init, whose files are CommonJS", async () => {
    const seen = await screens.play({
      title: "A project made by npm init, whose files are CommonJS",
      about: 'npm 11 writes `"type": "commonjs"`.',
      files: {
        "new/package.json": '{ "name": "new", "version": "1.0.0", "type": "commonjs" }\n',
        "new/site.ts": playbookOf(motd),
      },
      args: ["check", "new/site.ts", "-i", "local"],
    });
    expect(seen.text).toContain('hint     Set "type": "module" in new/package.json');
    expect(seen.code).toBe(1);
  });

  it("Two task modules with the same name", async () => {
    const own = `import { absolutePath, file as fileFact, task, z } from "furrow";

export const file = task({
  name: "file",
  summary: "Keep a file empty",
  params: z.strictObject({ path: absolutePath().describe("Where") }),
  examples: [{ path: "/tmp/empty" }],
})
  .facts(({ path }) => ({ it: fileFact(path, ["size"]) }))
  .want(() => ({ it: { type: "file", size: 0 } }))
  .steps(({ path }) => [{ step: "writeFile", path, text: "" }]);
`;
    const site = playbookOf(`${motd}\nempty({ path: "/tmp/empty" }),`).replace(
      "\nexport",
      'import { file as empty } from "./empty.ts";\n\nexport',
    );
    const seen = await screens.play({
      title: "Two task modules with the same name",
      files: { "empty.ts": own, "site.ts": site },
      args: ["check", "site.ts", "-i", "local"],
    });
    expect(seen.text).toMatch(/^E_DUPLICATE_TASK {2}two task modules are named "file"[^]*Rename one/);
    expect(seen.code).toBe(1);
  });

  it("the page matches these transcripts", async () => {
    await expectOnPage(screens, "2-playbook.md");
  });
});
