import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { readDiagnostics } from "./diagnostics.ts";
import { typesError } from "./explain.ts";
import { namesOfForms } from "./named-forms.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-forms-"));
afterAll(() => rmSync(folder, { recursive: true }));

// The params of a task, as the published package declares them.
const declared = `export interface FileForms1_2 {
    /** Absolute path on the host */
    readonly path: string | AnyRef<string>;
}
export interface FileForm1 extends FileForms1_2, FileForms1 {
    /** A regular file with this content */
    readonly content: string;
    readonly owner?: {
        readonly inner: string;
    } | undefined;
}
export interface FileForm2 extends FileForms1_2 {
    readonly "state": "absent";
}
export interface FileForm11 {
    readonly never: string;
}
`;

it("reads the params of a task from the declarations of the published package", () => {
  mkdirSync(join(folder, "tasks/file"), { recursive: true });
  writeFileSync(join(folder, "tasks/file/file.d.ts"), declared);
  const names = namesOfForms("FileForm1 | FileForm2", [join(folder, "tasks")]);
  expect(names).toEqual(["content", "owner", "path", "state"]);
  expect(namesOfForms("Elsewhere", [join(folder, "tasks"), join(folder, "missing")])).toEqual([]);
});

it.each([
  ["contnet", { hint: 'Write "content" instead of "contnet"' }],
  ["zebra", { expected: "one of content, owner, path", hint: 'Remove "zebra"' }],
])("explains the param %s of a task whose type has a name", (name, failure) => {
  const file = join(folder, "site.ts");
  writeFileSync(file, declared);
  const output = `site.ts(1,7): error TS2769: No overload matches this call.
  The last overload gave the following error.
    Object literal may only specify known properties, and '${name}' does not exist in type 'FileForm1'.`;
  const error = typesError(readDiagnostics(output, folder), folder);
  expect(error.failure).toMatchObject({ what: `"${name}" does not exist here`, ...failure });
});
