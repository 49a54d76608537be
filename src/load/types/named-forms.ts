import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ownDoors } from "../playbook/own-package.ts";

/** The folders that contain the declarations of furrow's tasks, and of what a play knows. */
export function ownDeclarations(): string[] {
  const { furrow = [], "furrow/tasks": tasks = [] } = ownDoors();
  return [...tasks.map((path) => dirname(path)), ...furrow.map((path) => join(dirname(path), "core/authoring"))];
}

/**
 * The property names of interfaces and of the interfaces that they extend. Needed if the compiler prints only the names
 * of the interfaces: `FileForm1 | FileForm2`. The published package declares the params of its tasks as such
 * interfaces.
 *
 * @param places files, and folders with declarations, that may contain the interfaces
 */
export function namesOfForms(type: string, places: readonly string[]): string[] {
  const wanted = [...type.matchAll(/\b[A-Z]\w*/g)].map(([name]) => name);
  if (wanted.length === 0) return [];
  const texts = places.flatMap(filesAt).map(textOf);
  const names = wanted.flatMap((name) => {
    const text = texts.find((one) => new RegExp(`\\binterface ${name}\\b`).test(one));
    return text === undefined ? [] : namesOf(name, text);
  });
  return [...new Set(names)];
}

function namesOf(name: string, text: string): string[] {
  const [, bases = "", body = ""] =
    new RegExp(`\\binterface ${name}\\b(?: extends ([^{]*))?\\s*\\{\\n([^]*?)^\\}`, "m").exec(text) ?? [];
  const indent = /^[ \t]+/.exec(body)?.[0] ?? "";
  const own = [...body.matchAll(/^([ \t]+)(?:readonly )?["']?(\w+)["']?\??:/gm)].flatMap(([, before, property = ""]) =>
    before === indent ? [property] : [],
  );
  return [...own, ...[...bases.matchAll(/\w+/g)].flatMap(([base]) => (base === name ? [] : namesOf(base, text)))];
}

function filesAt(place: string): string[] {
  if (/\.[cm]?[jt]s$/.test(place)) return [place];
  try {
    const names = readdirSync(place, { recursive: true, encoding: "utf8" });
    return names.filter((name) => name.endsWith(".d.ts")).map((name) => join(place, name));
  } catch {
    return [];
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
