import { expect, test } from "vitest";
import { goRefusals } from "./go-refusals.ts";
import { goTypes } from "./go-structs.ts";
import { keysOf } from "./keys.ts";

const go = `package config

type Disk struct {
	// A comment
	SizeCPU *uint32 \`json:"sizeCPU,omitempty"\`

	Route bool \`json:"-"\`
}

type Config struct {
	Disk   \`json:"disk,omitempty"\`
	Disks  []Disk          \`json:"disks"\`
	ByName map[string]Disk \`json:"byName,omitempty"\`
	Plain  string          \`yaml:"other"\`
}
`;

test("reads every key of nested, listed and named structs, and none that Go does not read", () => {
  expect(keysOf(goTypes(go), "Config")).toEqual([
    { path: "Plain", snake: "plain", type: "string" },
    { path: "byName", snake: "by_name", type: "map[string]Disk" },
    { path: "byName.*.sizeCPU", snake: "by_name.*.size_c_p_u", type: "uint32" },
    { path: "disk", snake: "disk", type: "Disk" },
    { path: "disk.sizeCPU", snake: "disk.size_c_p_u", type: "uint32" },
    { path: "disks", snake: "disks", type: "[]Disk" },
    { path: "disks[].sizeCPU", snake: "disks[].size_c_p_u", type: "uint32" },
  ]);
});

test("refuses a struct with a line that it does not understand", () => {
  expect(() => goTypes("type A struct {\n\tB func() string\n}\n")).toThrow("struct A: not understood: B func() string");
});

test("finds each error that a function creates itself, with its line and message", () => {
  const source = `var (
	ErrKnown = fmt.Sprintf("at least %d", 1)
)

func prettyError(a, b string) error {
	return errors.Errorf("%s: %s", a, b)
}

func (v V) check(a int) error {
	if a < 1 {
		return prettyError(ErrKnown, "a")
	}
	if err := other(a); err != nil {
		return err
	}
	return errors.Errorf(
		"no \\"%v\\"",
		a,
	)
}

func other(a int) error {
	return errors.Errorf("%s", ErrElsewhere)
}
`;
  expect(goRefusals(source)).toEqual([
    { function: "check", line: 11, says: "at least %d" },
    { function: "check", line: 16, says: String.raw`no \"%v\"` },
    { function: "other", line: 23, says: "ErrElsewhere" },
  ]);
});
