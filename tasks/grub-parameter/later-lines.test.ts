import { expect, test } from "vitest";
import type { Variable } from "./defaults.ts";
import { overruling } from "./later-lines.ts";

const file = "/etc/default/grub.d/50-cloudimg-settings.cfg";
const all = "GRUB_CMDLINE_LINUX";
const normal = "GRUB_CMDLINE_LINUX_DEFAULT";
const told = (line: string, name: string, variable: Variable) => overruling(name, variable, [{ file, line }]);

test("Ubuntu's cloud image sets the console in the other variable, so the task's value would be a second one", () => {
  const line = `${normal}="console=tty1 console=ttyS0"`;
  expect(told(line, "console", all)).toEqual({ file, line, how: "names", variable: normal });
  expect(told(line, "quiet", all)).toBeUndefined();
  expect(told(line, "quiet", normal)).toEqual({ file, line, how: "replaces", variable: normal });
});

test.each([
  { line: `${all}="$${all} console=ttyS0"`, how: "names" },
  { line: `${all}="\${${all}} console=ttyS0"`, how: "names" },
  { line: `${normal}+=" console"`, how: "names" },
  { line: `export ${all}='console=ttyS0'`, how: "names" },
  { line: `${all}="$${all} x"; ${normal}="$${normal} console=a"`, how: "names" },
  { line: `${all}="$${all} x"`, how: undefined },
  { line: `${all}="\${${all}} consoles=1"`, how: undefined },
  { line: `${normal}+=" x"`, how: undefined },
  { line: `${normal}="x"`, how: undefined },
  { line: `${all}="x"`, how: "replaces" },
  { line: `${all}=`, how: "replaces" },
  { line: `${all}='$${all} x'`, how: "unclear" },
  { line: `${all}="$${normal} x"`, how: "unclear" },
  { line: `${all}="$${all} $SERIAL"`, how: "unclear" },
  { line: `${all}="\${${all}:-x}"`, how: "unclear" },
  { line: `${normal}="\`cat x\`"`, how: "unclear" },
  { line: `${normal}="x`, how: "unclear" },
  { line: `${normal}="x \\`, how: "unclear" },
])("the effect of $line on console: $how", ({ line, how }) => {
  expect(told(line, "console", all)?.how).toBe(how);
});

test("the name of a parameter may be spelled with - or _", () => {
  expect(told(`${all}="$${all} a-b=1"`, "a_b", normal)?.how).toBe("names");
});

test("the first such line is named", () => {
  const lines = [`${all}="$${all} x"`, `${all}="$${all} a=1"`, `${all}="$${all} a=2"`].map((line) => ({ file, line }));
  expect(overruling("a", all, lines)?.line).toBe(lines[1]?.line);
});
