/** The parts of a package.json that matter here. */
export interface Manifest {
  readonly exports: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

/** Fields that are needed only for work in the repository. */
const ours = new Set(["private", "scripts", "devDependencies", "allowScripts"]);

/** The package.json of the published package: the repository's, with exports that point to compiled files. */
export function published(manifest: Manifest): Record<string, unknown> {
  const exports = Object.entries(manifest.exports).map(([door, file]) => [door, compiled(file)]);
  const kept = Object.entries(manifest).filter(([key]) => !ours.has(key));
  return { ...Object.fromEntries(kept), exports: Object.fromEntries(exports) as unknown };
}

function compiled(file: string): string | Record<string, string> {
  if (!file.endsWith(".ts")) return file;
  return { types: file.replace(/\.ts$/, ".d.ts"), default: file.replace(/\.ts$/, ".js") };
}
