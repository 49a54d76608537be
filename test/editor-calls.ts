import { z } from "../src/authoring.ts";
import type { Place } from "./language-service.ts";

/** A name in generated code, with the text that an editor must show for it. */
export interface Described {
  readonly place: Place;
  /** The task, and the path of the param. */
  readonly param: string;
  readonly text: string;
}

interface Schema {
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly type?: string;
}

/** Writes code that calls tasks, one property per line, and collects the described names. */
export class Calls {
  readonly described: Described[] = [];
  readonly #lines: string[];

  constructor(head: string) {
    this.#lines = [head];
  }

  get text(): string {
    return `${this.#lines.join("\n")}\n`;
  }

  /**
   * Adds calls to a task. For each form of its params: a call with all params, a call with the required params, and,
   * for each optional param, a call with that param and the required params.
   */
  add(task: string, params: z.ZodType): void {
    const schema = z.toJSONSchema(params, { io: "input", unrepresentable: "any", reused: "inline" }) as Schema;
    for (const form of formsOf(schema)) {
      const required = form.required ?? [];
      const names = Object.keys(form.properties ?? {});
      const optional = names.filter((name) => !required.includes(name)).map((name) => [...required, name]);
      for (const given of [names, required, ...optional]) this.#call(task, form, given);
    }
  }

  #call(task: string, form: Schema, given: readonly string[]): void {
    this.#lines.push(`${task}({`);
    for (const name of given) this.#property(`${task}.${name}`, name, form.properties?.[name] ?? {});
    this.#lines.push("});");
  }

  #property(param: string, name: string, schema: Schema): void {
    const text = schema.description;
    if (text !== undefined) this.described.push({ place: { line: this.#lines.length, character: 1 }, param, text });
    this.#lines.push(`${name}:`);
    this.#value(param, schema);
    this.#lines.push(",");
  }

  #value(param: string, schema: Schema): void {
    const one = formsOf(schema).find(({ properties }) => properties !== undefined) ?? formsOf(schema)[0] ?? {};
    const item = one.items;
    const value = typeof one.additionalProperties === "object" ? one.additionalProperties : undefined;
    if (one.properties !== undefined) {
      this.#lines.push("{");
      for (const [name, part] of Object.entries(one.properties)) this.#property(`${param}.${name}`, name, part);
      this.#lines.push("}");
    } else if (item !== undefined) {
      // A form without a schema is a placeholder for a task, so it is skipped.
      this.#lines.push("[");
      for (const part of formsOf(item).filter((form) => Object.keys(form).length > 0)) {
        this.#value(`${param}[]`, part);
        this.#lines.push(",");
      }
      this.#lines.push("]");
    } else if (value !== undefined) {
      this.#lines.push("{");
      this.#property(`${param}.any`, "any", value);
      this.#lines.push("}");
    } else this.#lines.push(scalar(one));
  }
}

function scalar({ const: literal, enum: [first] = [], type }: Schema): string {
  if (literal !== undefined || first !== undefined) return JSON.stringify(literal ?? first);
  if (type === "boolean") return "true";
  if (type === "object") return "{}";
  return type === "number" || type === "integer" ? "1" : '"a"';
}

/** The branches of a union; the schema itself if it is not a union. */
function formsOf(schema: Schema): readonly Schema[] {
  const branches = schema.anyOf ?? schema.oneOf;
  return branches === undefined ? [schema] : branches.flatMap(formsOf);
}
