import { spawn } from "node:child_process";
import { basename } from "node:path";

/** A build inside a fresh root of a Debian release. */
export interface RootBuild {
  readonly release: string;
  /** One-line entries of a sources.list. */
  readonly sources: readonly string[];
  /** Lines of an apt.conf. */
  readonly options: readonly string[];
  readonly packages: readonly string[];
  /** The path of the shell script that runs in the root. */
  readonly script: string;
  /** The script's argument, without spaces. */
  readonly argument: string;
  /** Paths in the root of the files that are copied to `out`. */
  readonly files: readonly string[];
  /** An existing folder. */
  readonly out: string;
}

/**
 * Creates the root, builds in it, copies the files and removes the root. If the build fails, throws an Error with the
 * end of the output.
 */
export async function buildInRoot(build: RootBuild): Promise<void> {
  const name = basename(build.script);
  const hooks = [
    `copy-in ${build.script} /`,
    `chroot "$1" sh /${name} ${build.argument}`,
    `copy-out ${build.files.join(" ")} ${build.out}`,
  ];
  const argv = [
    "--variant=minbase",
    "--format=null",
    `--include=${build.packages.join(",")}`,
    ...build.options.map((option) => `--aptopt=${option}`),
    ...hooks.map((hook) => `--customize-hook=${hook}`),
    build.release,
    "/dev/null",
    ...build.sources,
  ];
  const child = spawn("mmdebstrap", argv, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-4000)));
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  if (code !== 0) throw new Error(`${name} cannot build: mmdebstrap ended with ${code}\n${said}`);
}
