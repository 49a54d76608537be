import { at, file, says, site, type TypeMistake } from "../cli/type-mistakes.ts";

/** Invalid options for tasks, blocks and plays. */
export const optionMistakes: readonly TypeMistake[] = [
  {
    name: "a misspelled option of a task",
    text: site('t.file({ path: "/a", content: "" }, { tag: ["a"] })'),
    says: says('option "tag"', 'Write "tags"'),
  },
  {
    name: "an option that should be a number",
    text: site('t.file({ path: "/a", content: "" }, { retries: "3" })'),
    says: says('`retries` of the task file cannot be "3"'),
  },
  {
    name: "a condition in quotes",
    text: site('t.file({ path: "/a", content: "" }, { when: "vars.port > 3" })'),
    says: says("the option `when` of the task file", "without quotes"),
  },
  {
    name: "a task as a condition",
    text: site('t.file({ path: "/a", content: "" }, { when: conf })'),
    says: says("the option `when` of the task file cannot be a task", "Write `when: x\\.changed`"),
  },
  {
    name: "text instead of true",
    text: site('t.command({ command: ["false"], always: true }, { ignoreFailure: "yes" })'),
    says: says("the option `ignoreFailure`", 'current +"yes"', "Write ignoreFailure: true"),
  },
  {
    name: "a tag instead of a list of tags",
    text: site('t.file({ path: "/a", content: "" }, { tags: "web" })'),
    says: says("the option `tags`", 'Write tags: \\["web"\\]'),
  },
  {
    name: "text instead of a function",
    text: site('t.command({ command: ["true"], always: true }, { until: "x" })'),
    says: says("the option `until`", "Write a function"),
  },
  {
    name: "text as the condition of a block",
    text: site('block("b", [conf], { when: "no" })').replace("{ playbook", "{ block, playbook"),
    says: says('the option `when` of the block "b"', 'current +"no"'),
  },
  {
    name: "a task instead of a list in a block's rescue",
    text: site('block("b", [], { rescue: conf })').replace("{ playbook", "{ block, playbook"),
    says: says('the option `rescue` of the block "b"', "a list of tasks"),
  },
  {
    name: "a misspelled key of a play",
    text: site(file('""'), { play: "\n      becom: true," }),
    says: says('option "becom"', 'Write "become"'),
    typed: /Write "become"/,
  },
  {
    name: "a word for a boolean option of a play",
    text: site(file('""'), { play: '\n      anyFailureFatal: "yes",' }),
    says: says("`anyFailureFatal` of play 1", at(7), 'current +"yes"', "Write anyFailureFatal: true"),
    typed: /boolean/,
  },
  {
    name: "a percentage with a percent sign",
    text: site(file('""'), { play: '\n      maxFailPercentage: "80%",' }),
    says: says("`maxFailPercentage` of play 1", at(7), "Write maxFailPercentage: 80"),
  },
  {
    name: "a batch without hosts",
    text: site(file('""'), { play: "\n      serial: 0," }),
    says: says("`serial` of play 1", at(7), "current +0", "Leave serial out"),
  },
  {
    name: "a list of hosts instead of a pattern",
    text: site(file('""')).replace('hosts: "all",', 'hosts: ["web1", "web2"],'),
    says: says("`hosts` of play 1", at(7), 'Write "web1,web2"'),
  },
  {
    name: "vars without a schema",
    text: site(file('""')).replace(/vars: z\..+/, 'vars: { folder: "/x" },'),
    says: says("`vars` of the playbook", at(7), "Write vars: z\\.object\\({ folder: z\\.string\\(\\) }\\)"),
  },
  {
    name: "an async tasks function",
    text: site(file('""')).replace("tasks: (", "tasks: async ("),
    says: says("`tasks` of play 1", at(7), "an async function", "Remove `async`"),
  },
  {
    name: "a block without a name",
    text: site("block([conf])").replace("playbook, z", "block, playbook, z"),
    says: says("a block has no name", at(17), 'Write block\\("name", \\[ … \\]\\)'),
  },
  {
    name: "a task's title that is a number",
    text: site('t.file({ path: "/a", content: "" }, { name: 5 })'),
    says: says("`name` of the task file", at(17), 'Write "5"'),
  },
];
