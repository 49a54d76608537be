/** A type error in a playbook. */
export interface TypeMistake {
  readonly name: string;
  /** The text of the playbook, `site.ts`. */
  readonly text: string;
  /** The message that furrow reports when it loads the playbook. */
  readonly says: RegExp;
  /** How furrow rewords the compiler's message, if that is worth testing. */
  readonly typed?: RegExp;
}

const vars =
  "z.object({ port: z.number().default(80), nodes: z.array(z.object({ name: z.string() })).default([{ name: 'a' }]) })";

/**
 * The text of a playbook with these tasks. `more` adds text to the play (`play`) and the playbook (`own`), and replaces
 * the param of the function that lists the tasks (`context`).
 */
export function site(
  tasks: string,
  more: { readonly play?: string; readonly own?: string; readonly context?: string } = {},
): string {
  return `import { playbook, z } from "furrow";
import * as t from "furrow/tasks";
import { page } from "./page.ts";

const conf = t.file({ path: "/etc/conf", content: "" });
const uname = t.command({ command: ["uname"], always: true });
export default playbook({
  name: "site",${more.own ?? ""}
  vars: ${vars},
  plays: [
    {
      hosts: "all",${more.play ?? ""}
      tasks: (${more.context ?? "{ vars, host, hosts, facts }"}) => [
        vars.port > 0 && page({ title: host.name }),
        hosts.length > 9 && [facts.kernel],
        conf,
        uname,
        ${tasks},
      ],
    },
  ],
});
`.replace("        hosts.length > 9 && [facts.kernel],\n", "");
}

/** A task that writes this content. */
export const file = (content: string): string => `t.file({ path: "/etc/motd", content: ${content} })`;
/** Matches the position that an error names. */
export const at = (line: number): string => `at +site\\.ts:${line}:\\d+`;
/** Matches these parts in this order. */
export const says = (...parts: readonly string[]): RegExp => new RegExp(parts.join("[^]*"));

/** The mistakes that every kind of playbook check finds. */
export const typeMistakes: readonly TypeMistake[] = [
  {
    name: "a misspelled var",
    text: site(file("`port=${vars.prot}`")),
    says: says('vars has no "prot"', at(17), 'Write "port"'),
    typed: /Write "port"/,
  },
  {
    name: "a misspelled property in a list of vars",
    text: site(file("vars.nodes.map((node) => node.nmae).join()")),
    says: says('vars\\.nodes\\[\\] has no "nmae"', 'Write "name"'),
  },
  {
    name: "a misspelled fact",
    text: site(file("facts.kernal")),
    says: says('facts has no "kernal"', 'Write "kernel"'),
    typed: /Write "kernel"/,
  },
  {
    name: "a misspelled property of the host",
    text: site(file("host.adress")),
    says: says('host has no "adress"', 'Write "address"'),
  },
  {
    name: "the vars of the host",
    text: site(file("String(host.vars.port)")),
    says: says('host has no "vars"', at(17), "Write vars instead of host\\.vars"),
  },
  {
    name: "a misspelled property of another host",
    text: site(file("hosts.map((one) => one.nmae).join()")),
    says: says('host has no "nmae"'),
  },
  {
    name: "a misspelled property of a play's argument",
    text: site(file("fact.kernel"), { context: "{ vars, host, fact }" }),
    says: says('has no "fact"', 'Write "facts"'),
  },
  {
    name: "a misspelled property of a task in `when`",
    text: site('t.file({ path: "/a", content: "" }, { when: conf.chnged })'),
    says: says('a task has no "chnged"', 'Write "changed"'),
  },
  {
    name: "an output read before it exists",
    text: site(file("uname.output.stdout")),
    says: says('output has no "stdout"', "Use output\\.map"),
    typed: /Use output\.map/,
  },
  {
    name: "a misspelled param",
    text: site('t.file({ path: "/etc/motd", contnet: "" })'),
    says: says('unknown param "contnet"', at(17), 'Write "content"'),
    typed: /Write "content"/,
  },
  {
    name: "a missing param",
    text: site('t.file({ content: "" })'),
    says: says('missing param "path"'),
    typed: /"path" is missing/,
  },
  {
    name: "a number instead of text",
    text: site('t.file({ path: 7, content: "" })'),
    says: says('param "path"', "current +7"),
  },
  {
    name: "a mode that is a number",
    text: site('t.file({ path: "/a", content: "", mode: 0o644 })'),
    says: says('param "mode"', '"0644"'),
  },
  {
    name: "a wrong literal in a service",
    text: site('t.service({ name: "nginx", state: "strated" })'),
    says: says('param "state"', "started"),
    typed: /Write "started"/,
  },
  {
    name: "a misspelled output in map()",
    text: site(file("uname.output.map((o) => o.stdot)")),
    says: says('the output of command has no "stdot"', at(17), 'Write "stdout"'),
    typed: /stdout/,
  },
  {
    name: "a misspelled output in `until`",
    text: site('t.command({ command: ["a"], always: true }, { until: ({ exitCode, stdou }) => exitCode + stdou > 0 })'),
    says: says('the output of command has no "stdou"', at(17), 'Write "stdout"'),
    typed: /stdou/,
  },
  {
    name: "a misspelled param of a role",
    text: site('page({ titel: "x" })'),
    says: says('unknown param "titel"', 'Write "title"'),
    typed: /Write "title"/,
  },
  {
    name: "a misspelled param of a role whose schema is not strict",
    text: site('loose({ titel: "x" })')
      .replace(
        "const conf",
        'const loose = role({ name: "loose", summary: "x", params: z.object({ title: z.string().optional() }) }, () => []);\nconst conf',
      )
      .replace("{ playbook, z }", "{ playbook, role, z }"),
    says: says('unknown param "titel"', 'Write "title"'),
  },
  { name: "a task that is not called", text: site("t.file"), says: says(at(7), "a task module without a call") },
  {
    name: "a tasks function without a return",
    text: site(file('""')).replace(/=> \[[^]*\],\n    },/, "=> { void conf; },\n    },"),
    says: says("did not return a list of tasks", at(7), "Return a list"),
  },
  {
    name: "a misspelled key of the playbook",
    text: site(file('""'), { own: "\n  confrim: () => undefined," }),
    says: says('option "confrim"', 'Write "confirm"'),
  },
  {
    name: "a wrong literal",
    text: site('t.package({ name: "nginx", state: "latst" })'),
    says: says('param "state"', "latest", 'Write "latest"'),
  },
  {
    name: "a misspelled task",
    text: site('t.servce({ name: "nginx" })'),
    says: says('has no task "servce"', at(17), 'Write "service"'),
    typed: /service/,
  },
  {
    name: "a misspelled export",
    text: site(file('""')).replace("playbook, z", "playbok as playbook, z"),
    says: says("export named 'playbok'", 'Write "playbook"'),
    typed: /playbook/,
  },
  {
    name: "a misspelled export of the user's own role",
    text: site(file('""')).replace("{ page }", "{ pgae as page }"),
    says: says("export named 'pgae'", 'Write "page" instead of "pgae"'),
    typed: /page/,
  },
  {
    name: "a default import of the tasks",
    text: site(file('""')).replace("* as t", "t"),
    says: says("export named 'default'", 'Write import \\* as t from "furrow/tasks"'),
  },
  {
    name: "a misspelled package",
    text: site(file('""')).replace('"furrow"', '"furow"'),
    says: says('"furow"', 'Write "furrow"'),
  },
  {
    name: "a misspelled entry point of the package",
    text: site(file('""')).replace('"furrow/tasks"', '"furrow/task"'),
    says: says("furrow/task", 'Write "furrow/tasks"'),
  },
];

/** Mistakes that no compiler finds, so furrow must find them when it lists the tasks. */
export const valueMistakes: readonly TypeMistake[] = [
  {
    name: "a list in vars that is changed",
    text: site(file("vars.nodes.reverse().push({ name: 'b' }) > 1 ? 'a' : 'b'")),
    says: says("cannot be changed", at(17), "Copy it first"),
  },
  {
    name: "an object in vars that is changed",
    text: site(file("vars.nodes.map((node) => (node.name += '!')).join()")),
    says: says("vars\\.nodes\\[\\]\\.name cannot be changed", at(17), "Copy it first"),
  },
  {
    name: "a list of hosts that is changed",
    text: site(file("String((hosts as unknown[]).push(host))")),
    says: says("cannot be changed", at(17), "Copy it first"),
  },
  {
    name: "a host in a text",
    text: site(file("`${host}`")),
    says: says("host is an object, but is used as a string", at(17), "Write host\\.name"),
  },
  {
    name: "a list of objects in a text",
    text: site(file("`${vars.nodes}`")),
    says: says("vars\\.nodes\\[\\] is an object, but is used as a string", at(17), "Use one of its properties"),
  },
  {
    name: "the facts in a text",
    text: site(file("`${facts}`")),
    says: says("facts is an object, but is used as a string", at(17), "Write one of them"),
  },
  {
    name: "a task in a text",
    text: site(file("`${conf}`")),
    says: says("a task is an object, but is used as a string", at(17), "Use output\\.map"),
  },
  {
    name: "a task module in a text",
    text: site(file("`${t.file}`")),
    says: says("the task module file is a function, but is used as a string", at(17), "Call it with params"),
  },
];
