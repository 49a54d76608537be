import { expect, test } from "vitest";
import { minify } from "./minify.ts";
import { folders, scriptsIn } from "./sent.ts";

const shorter = (text: string): string =>
  minify(text, { names: { file_name: "f", last_line: "l" }, constants: { LONGEST: 400 } });

test("removes comments, indentation and unnecessary spaces, and shortens names", () => {
  const source = `# shellcheck shell=sh
#
# What it is.

# last_line FILE: prints it.
last_line() {
  # why
  file_name=$1

  [ -n "$file_name" ] || return 1; case $file_name in
    a | b) echo "\${file_name#x}" && true ;;
    *) ;;
  esac
}
`;
  expect(shorter(source)).toBe(
    'l() {\nf=$1\n[ -n "$f" ]||return 1;case $f in\na|b) echo "${f#x}"&&true;;*);;esac\n}\n',
  );
});

test("keeps spaces, line breaks and number signs within quotes", () => {
  const source = `x='  a
  # no comment ;; '
y="$(echo "a | b" | cat)  # \\"none\\" || \${x:-c ; d}"
`;
  expect(shorter(source)).toBe(`x='  a
  # no comment ;; '
y="$(echo "a | b"|cat)  # \\"none\\" || \${x:-c ; d}"
`);
});

test("inserts a constant, even inside quotes", () => {
  expect(shorter('[ "$LONGEST" -gt $((LONGEST - 1)) ]')).toBe("[ 400 -gt $((400 - 1)) ]\n");
});

test("refuses a name in a path, and unclosed quotes", () => {
  expect(() => shorter("cat /tmp/file_name")).toThrow("file_name is a name and appears in a path");
  expect(() => shorter('echo "a')).toThrow("the script ends within quotes");
});

test.each([...new Set(Object.values(folders))].map((names) => [names]))(
  "shortens only names in use that have several words, each to a unique short name",
  (names) => {
    const short = Object.values(names);
    expect(short.filter((name, at) => short.indexOf(name) !== at)).toEqual([]);
    const own = Object.keys(folders).filter((folder) => folders[folder] === names);
    const text = own.flatMap((folder) => [...scriptsIn(folder).values()]).join("\n");
    const words = new Set(text.replaceAll(/^\s*#.*$/gm, "").match(/\w+/g));
    expect(Object.keys(names).filter((name) => !words.has(name) || !/^[a-z]+_/.test(name))).toEqual([]);
  },
);
