import { argumentsOf, type Syntax, visitDeclarations } from "./syntax.ts";
import { membersOf, memberText, type Param, wholeRef } from "./given-type.ts";

const head = `import type { AnyRef, OrRef, RefTo } from "../../src/core/authoring/ref.ts";
import type { TaskForm } from "../../src/core/authoring/task.ts";
`;

/** Params that several forms of a task have in common. `forms` contains the numbers of these forms, counted from 1. */
interface Shared {
  readonly forms: readonly number[];
  readonly params: readonly Param[];
}

/**
 * Returns the declarations of tasks, with the mapped type `OrRef` replaced by an interface for each form of the params
 * that a task accepts. TypeScript 7 shows no doc comments of properties of mapped types.
 */
export function withParamTypes(declarations: string): string {
  const edits: { readonly start: number; readonly end: number; readonly text: string }[] = [];
  const added: string[] = [];
  visitDeclarations(declarations, (declared) => {
    if (declared.type !== "VariableDeclarator") return;
    const { id } = declared as unknown as {
      readonly id: { readonly name: string; readonly typeAnnotation?: { readonly typeAnnotation: Syntax } };
    };
    const task = id.typeAnnotation?.typeAnnotation;
    const [given, , , output] = (task && argumentsOf(task, declarations, /^Task$/)) ?? [];
    const [params] = (given && argumentsOf(given, declarations, /^OrRef$/)) ?? [];
    if (!task || !given || !params || !output) return;
    const forms = formsOf(params).map((form) => membersOf(form, declarations));
    const name = `${id.name.charAt(0).toUpperCase()}${id.name.slice(1)}`;
    const shared = sharedParams(forms);
    const result = declarations.slice(output.start, output.end);
    const ways = isAmbiguous(shared)
      ? forms.map((_form, at) => `TaskForm<${formName(name, forms.length, at)}, ${result}> & `)
      : [];
    edits.push({ start: task.start, end: task.start, text: ways.join("") });
    edits.push({ start: given.start, end: given.end, text: `${name}Params` });
    const names = forms.map((_form, at) => formName(name, forms.length, at));
    const types = [...names, wholeRef(params, declarations)];
    added.push(...interfaces(name, forms.length, shared), `export type ${name}Params = ${types.join(" | ")};\n`);
  });
  if (added.length === 0) return declarations;
  const edited = edits
    .toSorted((a, b) => b.start - a.start)
    .reduce((text, { start, end, text: put }) => text.slice(0, start) + put + text.slice(end), declarations);
  return `${head}${edited}${added.join("")}`;
}

function formsOf(params: Syntax): readonly Syntax[] {
  return params.type === "TSUnionType" ? (params["types"] as readonly Syntax[]) : [params];
}

/** Groups params by the set of forms in which they have the same type and text. */
function sharedParams(forms: readonly (readonly Param[])[]): Shared[] {
  const holders = new Map<string, { readonly param: Param; readonly forms: number[] }>();
  for (const [at, form] of forms.entries())
    for (const param of form) {
      const id = `${param.comment}${param.signature}`;
      const held = holders.get(id) ?? { param, forms: [] };
      held.forms.push(at + 1);
      holders.set(id, held);
    }
  return [...Map.groupBy(holders.values(), (held) => held.forms.join(" ")).values()].map((held) => ({
    forms: held[0]?.forms ?? [],
    params: held.map(({ param }) => param),
  }));
}

/** Whether a name has different types or texts in different forms. If so, each form needs its own signature. */
function isAmbiguous(shared: readonly Shared[]): boolean {
  const names = shared.flatMap(({ params }) => params.map(({ name }) => name));
  return new Set(names).size < names.length;
}

/** An interface for each form, and one for each group of params that several forms have in common. */
function interfaces(name: string, count: number, shared: readonly Shared[]): string[] {
  const common = shared.filter(({ forms }) => forms.length > 1);
  const commonName = ({ forms }: Shared): string => `${name}Forms${forms.join("_")}`;
  const formed = Array.from({ length: count }, (_form, at) => {
    const bases = common.filter(({ forms }) => forms.includes(at + 1)).map(commonName);
    const own = shared.filter(({ forms }) => forms.length === 1 && forms[0] === at + 1).flatMap(({ params }) => params);
    const heir = bases.length > 0 ? ` extends ${bases.join(", ")}` : "";
    return declared(`${formName(name, count, at)}${heir}`, own);
  });
  return [...common.map((one) => declared(commonName(one), one.params)), ...formed];
}

function formName(name: string, count: number, at: number): string {
  return `${name}Form${count > 1 ? at + 1 : ""}`;
}

function declared(name: string, params: readonly Param[]): string {
  return `export interface ${name} {\n${params.map(memberText).join("")}}\n`;
}
