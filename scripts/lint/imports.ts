import { existsSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { homes, ioModules, type Layer, layerOf, onlyForUs, rooms } from "./layers.ts";

const roots = new Map<string, string>();

/** The nearest folder above `file` that contains a package.json: layer paths are relative to it. */
export function rootOf(file: string): string {
  const folder = dirname(file);
  const known = roots.get(folder);
  if (known !== undefined) return known;
  const root = existsSync(join(folder, "package.json")) || folder === dirname(folder) ? folder : rootOf(folder);
  roots.set(folder, root);
  return root;
}

/** True for tests and their cases, which may import across layers to compare parts with each other. */
export function isTest(path: string): boolean {
  return /\.(test|cases)\.ts$/.test(path) || path.startsWith("test/");
}

/**
 * Why `file` may not import `specifier`; undefined if it may. `file` is an absolute path; `specifier` is as written in
 * the import.
 */
export function importFault(file: string, specifier: string): string | undefined {
  const root = rootOf(file);
  const from = relative(root, file);
  const layer = layerOf(from);
  if (layer === undefined) {
    return from.startsWith("src/") ? `"${from}" is not in any layer: add it to scripts/lint/layers.ts` : undefined;
  }
  if (isTest(from)) return undefined;
  if (specifier.startsWith("node:")) return nodeFault(layer, specifier.slice(5));
  if (specifier.startsWith(".")) return ownFault(layer, from, relative(root, resolve(dirname(file), specifier)));
  return packageFault(layer, specifier);
}

function nodeFault(layer: Layer, module: string): string | undefined {
  if (layer.closed === undefined || (layer.closed === "io" && !ioModules.has(module))) return undefined;
  return `${layer.name} may not import "node:${module}": ${layer.why}`;
}

function ownFault(layer: Layer, from: string, to: string): string | undefined {
  const target = layerOf(to);
  if (target === undefined) return undefined;
  if (target.name === layer.name) return roomFault(from, to);
  if (layer.may.includes("*") ? isOursToo(layer) || !onlyForUs.has(target.name) : layer.may.includes(target.name)) {
    return undefined;
  }
  return `${layer.name} may not import ${target.name} ("${from}" → "${to}"): ${layer.why}`;
}

/** Why a file may not import from a later room of its own layer; undefined if it may. */
function roomFault(from: string, to: string): string | undefined {
  const house = rooms.find(({ path }) => from.startsWith(path) && to.startsWith(path));
  // Only tests use fixtures, and tests may import everything.
  if (house === undefined || from.includes(".fixture.")) return undefined;
  const [room, other] = [from, to].map((path) => path.slice(house.path.length).split("/")[0] ?? "");
  if (room === undefined || other === undefined || other.endsWith(".ts")) return undefined;
  if (!room.endsWith(".ts") && house.order.indexOf(room) >= house.order.indexOf(other)) return undefined;
  return `${room} may not import ${other} ("${from}" → "${to}"): ${house.why}`;
}

function isOursToo(layer: Layer): boolean {
  return onlyForUs.has(layer.name);
}

function packageFault(layer: Layer, specifier: string): string | undefined {
  const name = specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
  if (layer.packages !== undefined && !layer.packages.includes(name)) {
    return `${layer.name} may not import "${specifier}": ${layer.why}`;
  }
  const home = Object.entries(homes).find(([prefix]) => specifier === prefix || specifier.startsWith(slashed(prefix)));
  if (home === undefined || home[1].includes(layer.name)) return undefined;
  return `${layer.name} may not import "${specifier}": only ${home[1].join(", ")} may, so that it can be replaced there`;
}

function slashed(prefix: string): string {
  return prefix.endsWith("/") ? prefix : `${prefix}/`;
}
