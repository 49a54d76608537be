import { readdirSync, statSync } from "node:fs";
import { isIPv6 } from "node:net";
import { basename, dirname, extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type ErrorCode, FurrowError } from "../../core/errors.ts";
import { closest } from "../../core/closest.ts";
import { typeOf } from "../../core/file-type.ts";
import { importFailure } from "./compile-error.ts";
import { serveOwnPackage } from "./own-package.ts";
import { settled } from "./settled.ts";

/** The kind of file being read, for messages. */
export interface FileSort {
  readonly noun: "playbook" | "inventory";
  readonly code: Extract<ErrorCode, "E_PLAYBOOK" | "E_INVENTORY">;
  /** The default export that the file must have: `playbook({ … })`. */
  readonly expected: string;
}

const extensions = [".ts", ".mts", ".js", ".mjs"];

/** True for a path that Node can import. False for every folder, even one that is named like a module. */
export function isModule(path: string): boolean {
  return extensions.includes(extname(path)) && !statSync(path, { throwIfNoEntry: false })?.isDirectory();
}

/** Imports a user's file and returns its default export. Throws a FurrowError with `sort.code`. */
export async function importUserFile(path: string, sort: FileSort): Promise<unknown> {
  checkFile(path, sort);
  serveOwnPackage();
  let module: object;
  try {
    const loading = import(pathToFileURL(resolve(path)).href) as Promise<object>;
    module = await settled(loading, () => neverLoaded(path, sort));
  } catch (error) {
    throw importFailure(error, path, sort.code, sort.noun);
  }
  if (!("default" in module)) {
    const names = Object.keys(module);
    throw new FurrowError(sort.code, {
      what: `the ${sort.noun} ${path} has no default export`,
      where: { source: resolve(path) },
      current: names.length === 0 ? "it exports nothing" : `it exports ${names.join(", ")}`,
      expected: `export default ${sort.expected}`,
      hint: `Put "export default" before ${sort.noun}({ … })`,
    });
  }
  const { default: value } = module;
  if (value instanceof Promise) {
    // Otherwise, a promise that fails would be reported as a bug of furrow.
    value.catch(() => undefined);
    throw new FurrowError(sort.code, {
      what: `the default export of ${path} is not a${sort.noun === "inventory" ? "n" : ""} ${sort.noun}`,
      where: { source: resolve(path) },
      current: "a promise",
      expected: `export default ${sort.expected}`,
      hint: 'Write "export default await …"',
    });
  }
  return value;
}

function neverLoaded(path: string, { noun, code }: FileSort): FurrowError {
  return new FurrowError(code, {
    what: `the ${noun} ${path} did not finish loading`,
    where: { source: resolve(path) },
    current: "a top-level await, in this file or in a file that it imports, waits forever",
    hint: "Look for a promise that nothing resolves, or for two files that import each other with await import()",
  });
}

/**
 * True if a word given in place of a file name looks like a host: an IP address, a dotted name, or a name with a user
 * or a port.
 */
function isHost(word: string): boolean {
  const [, user, name = "", port] = /^([\w.-]+@)?([\w.-]+)(:\d+)?$/.exec(word) ?? [];
  const isDotted = /^[\w-]+(?:\.[\w-]+)+$/.test(name) && !extensions.includes(extname(name));
  return isDotted || (name !== "" && (user ?? port) !== undefined);
}

/** The IPv6 address in a word that is written as a host: `[::1]:22`, `root@[::1]`, `::1`. */
function ipv6In(word: string): string | undefined {
  const [, bracketed, bare] = /^(?:[\w.-]+@)?(?:\[([^\]]+)\](?::\d+)?|([\d:a-f]+))$/i.exec(word) ?? [];
  const address = bracketed ?? bare ?? "";
  return isIPv6(address) ? address : undefined;
}

function hintForMissing(path: string, { noun, expected }: FileSort): string {
  const near = nearestFile(path);
  if (near !== undefined) return `Write ${near} instead`;
  const address = noun === "inventory" ? ipv6In(path) : undefined;
  if (address !== undefined) {
    return `Put an IPv6 address in an inventory file: hosts: { web1: { address: "${address}" } }`;
  }
  const host = noun === "inventory" && isHost(path) ? `, or put a comma after a host name: -i ${path},` : "";
  return `Give the path of a file with "export default ${expected}"${host}`;
}

function checkFile(path: string, sort: FileSort): void {
  const { noun, code, expected } = sort;
  const stat = statSync(resolve(path), { throwIfNoEntry: false });
  if (stat === undefined) {
    throw new FurrowError(code, {
      what: `the ${noun} ${path} does not exist`,
      current: `no file ${resolve(path)}`,
      hint: hintForMissing(path, sort),
    });
  }
  if (!stat.isFile() || !extensions.includes(extname(path))) {
    throw new FurrowError(code, {
      what: `${path} is not a ${noun}`,
      current: stat.isFile() ? `a file that ends in "${extname(path)}"` : typeOf(stat),
      expected: `a TypeScript or JavaScript file (${extensions.join(", ")}) with "export default ${expected}"`,
      hint: stat.isDirectory()
        ? `Give the path of a file in this folder`
        : `Write the ${noun} as TypeScript in a regular file; Node runs it directly`,
    });
  }
}

function nearestFile(path: string): string | undefined {
  const folder = dirname(resolve(path));
  const names = statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : [];
  const near = closest(
    basename(path),
    names.filter((name) => extensions.includes(extname(name))),
  );
  return near === undefined ? undefined : path.slice(0, path.length - basename(path).length) + near;
}
