/** The parts of a package.json that matter here. */
export interface Manifest {
  readonly exports: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

/** Fields that are needed only for development in the repository. */
const ours = new Set(["private", "workspaces", "scripts", "devDependencies", "allowScripts"]);

/**
 * The cloud SDKs. Together they would make up most of the download, and most users need at most one of them. npm does
 * not install an optional peer, but checks its version if the user has installed it.
 */
const optional = new Set([
  "@aws-sdk/client-ec2",
  "@azure/arm-compute",
  "@azure/arm-network",
  "@azure/identity",
  "@google-cloud/compute",
]);

/**
 * The package.json of the published package: the repository's, with exports that point to compiled files, and with the
 * cloud SDKs as optional peer dependencies.
 */
export function published(manifest: Manifest): Record<string, unknown> {
  const exports = Object.entries(manifest.exports).map(([door, file]) => [door, compiled(file)]);
  const kept = Object.entries(manifest).filter(([key]) => !ours.has(key));
  const [peers, dependencies] = [true, false].map((peer) =>
    Object.fromEntries(Object.entries(manifest.dependencies).filter(([name]) => optional.has(name) === peer)),
  );
  const meta = Object.fromEntries(Object.keys(peers ?? {}).map((name) => [name, { optional: true }]));
  return {
    ...Object.fromEntries(kept),
    exports: Object.fromEntries(exports) as unknown,
    dependencies,
    peerDependencies: peers,
    peerDependenciesMeta: meta,
  };
}

function compiled(file: string): string | Record<string, string> {
  if (!file.endsWith(".ts")) return file;
  return { types: file.replace(/\.ts$/, ".d.ts"), default: file.replace(/\.ts$/, ".js") };
}
