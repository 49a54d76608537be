import { describe, expect, test } from "vitest";
import { contractOf, explain } from "../../src/testing/index.ts";
import { withWords } from "./defaults.ts";
import { cases } from "./grub-parameter.cases.ts";
import { grubParameter } from "./grub-parameter.ts";

test("grubParameter meets the task contract and does what each case says", () => {
  expect(contractOf(grubParameter, cases, { folder: "grub-parameter" })).toEqual([]);
});

test.each([
  { param: "name", params: { name: "a b" } },
  { param: "name", params: { name: "root", value: "/dev/sda1" } },
  { param: "name", params: { name: "a=b" } },
  { param: "value", params: { name: "a", value: "x y" } },
  { param: "value", params: { name: "a", value: "$(reboot)" } },
  { param: "value", params: { name: "a", value: 'x"' } },
  { param: "value", params: { name: "a", value: "x;y" } },
  { param: "value", params: { name: "a", value: [] } },
  { param: "entries", params: { name: "a", entries: "some" } },
])("refuses the param $param: $params", ({ param, params }) => {
  expect(() => explain(grubParameter(params as never), {})).toThrow(`param "${param}`);
});

const both = (linux: string, normal: string): string =>
  `GRUB_CMDLINE_LINUX_DEFAULT=${normal}\nGRUB_CMDLINE_LINUX=${linux}\n`;

describe("the text of /etc/default/grub", () => {
  test.each([
    { what: "an empty value", text: both('""', '"quiet"'), after: both('"a=1"', '"quiet"') },
    { what: "single quotes", text: both("'x'", '"quiet"'), after: both('"x a=1"', '"quiet"') },
    { what: "no quotes", text: both("x", "quiet"), after: both('"x a=1"', "quiet") },
    {
      what: "a comment after the value",
      text: both('"x"  # it\'s "mine"', "''"),
      after: both('"x a=1"  # it\'s "mine"', "''"),
    },
    { what: "the wanted words", text: both("'x a=1 y'", '"quiet"'), after: both("'x a=1 y'", '"quiet"') },
    { what: "several old words", text: both('"x a=0 y a a=2"', '"a=3 quiet"'), after: both('"x a=1 y"', '"quiet"') },
    { what: "a longer name", text: both('"ab=0 a.b=1"', '""'), after: both('"ab=0 a.b=1 a=1"', '""') },
    {
      what: "no variable",
      text: "# none\nGRUB_TIMEOUT=5\n",
      after: '# none\nGRUB_TIMEOUT=5\nGRUB_CMDLINE_LINUX="a=1"\n',
    },
    { what: "no line break at the end", text: "GRUB_TIMEOUT=5", after: 'GRUB_TIMEOUT=5\nGRUB_CMDLINE_LINUX="a=1"\n' },
    {
      what: "only a comment about the variable",
      text: '#GRUB_CMDLINE_LINUX="x"\n',
      after: '#GRUB_CMDLINE_LINUX="x"\nGRUB_CMDLINE_LINUX="a=1"\n',
    },
    { what: "export", text: '  export GRUB_CMDLINE_LINUX="x"\n', after: '  export GRUB_CMDLINE_LINUX="x a=1"\n' },
    {
      what: "a command substitution in another variable",
      text: `GRUB_DISTRIBUTOR=\`lsb_release -i -s 2> /dev/null || echo Debian\`\n${both('""', '""')}`,
      after: `GRUB_DISTRIBUTOR=\`lsb_release -i -s 2> /dev/null || echo Debian\`\n${both('"a=1"', '""')}`,
    },
  ])("with $what", ({ text, after }) => {
    expect(withWords(text, "a", ["a=1"], "GRUB_CMDLINE_LINUX")).toBe(after);
    expect(withWords(after, "a", ["a=1"], "GRUB_CMDLINE_LINUX")).toBe(after);
  });

  test("gets several words in place of its old ones, whether these are spelled with - or _", () => {
    const text = both('"x con-sole=a y con_sole=b"', '""');
    const after = both('"x con_sole=1 con_sole=2 y"', '""');
    expect(withWords(text, "con_sole", ["con_sole=1", "con_sole=2"], "GRUB_CMDLINE_LINUX")).toBe(after);
  });

  test("moves a parameter to the variable of the normal entries", () => {
    expect(withWords(both('"x a=1"', '"quiet"'), "a", ["a=1"], "GRUB_CMDLINE_LINUX_DEFAULT")).toBe(
      both('"x"', '"quiet a=1"'),
    );
  });

  test.each([
    { text: 'GRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX x"', number: 1, why: "plain text" },
    { text: 'A=1\nGRUB_CMDLINE_LINUX="`cat x`"', number: 2, why: "plain text" },
    { text: 'GRUB_CMDLINE_LINUX="x \\"y\\""', number: 1, why: "plain text" },
    { text: "GRUB_CMDLINE_LINUX='x $y'", number: 1, why: "interprets" },
    { text: 'GRUB_CMDLINE_LINUX="x"y', number: 1, why: "plain text" },
    { text: 'GRUB_CMDLINE_LINUX="x"; reboot', number: 1, why: "plain text" },
    { text: 'GRUB_CMDLINE_LINUX="x\ny"', number: 1, why: "next line" },
    { text: "GRUB_CMDLINE_LINUX=x\\\ny", number: 1, why: "next line" },
    { text: 'GRUB_CMDLINE_LINUX="x"\nGRUB_CMDLINE_LINUX="y"', number: 2, why: "set 2 times" },
    { text: 'GRUB_CMDLINE_LINUX+=" x"', number: 1, why: "adds to" },
    { text: "if true; then\nA=1\nfi", number: 1, why: "not an assignment" },
    { text: ". /etc/other", number: 1, why: "not an assignment" },
    { text: "A=1; GRUB_CMDLINE_LINUX=x", number: 1, why: "in addition to another variable" },
    { text: "A='it\nGRUB_CMDLINE_LINUX=x'", number: 1, why: "next line" },
  ])("is refused, and the line is named: $text", ({ text, number, why }) => {
    const odd = withWords(text, "a", ["a=1"], "GRUB_CMDLINE_LINUX");
    expect(odd).toMatchObject({ number, line: text.split("\n")[number - 1] });
    expect(typeof odd === "string" ? odd : odd.why).toContain(why);
  });
});

describe("grubParameter", () => {
  const tell = (running: string, params: object) =>
    explain(grubParameter({ name: "quiet", ...params }), {
      defaults: { type: "file", mode: "0644", owner: "root", group: "root", text: 'GRUB_CMDLINE_LINUX="quiet"\n' },
      grub: { program: "update-grub", config: "/boot/grub/grub.cfg", entries: 1, right: true, running, later: [] },
    });
  test("notes that a reboot is due, but takes no step for it", () => {
    expect(tell("", {}).notes).toEqual([
      "the running kernel does not have quiet; the entries take effect at the next boot",
    ]);
    expect(tell("", {}).steps).toEqual([]);
    expect(tell("quiet", {}).notes).toEqual([]);
    expect(tell("quiet", { state: "absent" }).notes).toEqual([
      "the running kernel has quiet; the entries take effect at the next boot",
    ]);
  });
});
