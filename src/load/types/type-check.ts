import { spawn } from "node:child_process";
import { dirname, extname, resolve } from "node:path";
import type { FurrowError } from "../../core/errors.ts";
import { type Compiler, findCompiler } from "./compiler.ts";
import { type Diagnostic, isUsers, readDiagnostics } from "./diagnostics.ts";
import { typesError } from "./explain.ts";
import { upward, writeProject } from "./project.ts";

/** A running type check. */
export interface TypeCheck {
  /** The type errors in the user's files; undefined if there are no errors or no compiler. Never rejects. */
  readonly error: Promise<FurrowError | undefined>;
  /** Kills the compiler; its result is no longer needed. */
  stop(): void;
}

/** The check used if there are no TypeScript files or no compiler. */
export const noTypeCheck: TypeCheck = { error: Promise.resolve(undefined), stop: () => {} };

/** The compiler is killed after this time. */
const deadlineSeconds = 120;

/**
 * Starts the TypeScript compiler of each file's project and returns the check immediately; the compilers run in the
 * background. JavaScript is not checked. A file whose project has no compiler is checked together with the first
 * project that has one; nothing is checked if no project has one. `notice` receives the reason if a check fails to run.
 */
export function startTypeCheck(paths: readonly string[], notice: (text: string) => void): TypeCheck {
  const files = paths.map((path) => resolve(path)).filter((path) => [".ts", ".mts"].includes(extname(path)));
  const checks = projectsOf(files).map(({ compiler, members }) => startProject(compiler, members, notice));
  return {
    error: Promise.all(checks.map(({ error }) => error)).then((errors) => errors.find((error) => error !== undefined)),
    stop: () => {
      for (const check of checks) check.stop();
    },
  };
}

interface Project {
  readonly compiler: Compiler;
  readonly members: string[];
}

/** Groups files by compiler and settings. */
function projectsOf(files: readonly string[]): Project[] {
  const projects = new Map<string, Project>();
  const others: string[] = [];
  for (const file of files) {
    const compiler = findCompiler(dirname(file));
    if (compiler === undefined) {
      others.push(file);
      continue;
    }
    const key = JSON.stringify([compiler.command, compiler.words, upward(dirname(file), "tsconfig.json")[0]]);
    const known = projects.get(key);
    if (known === undefined) projects.set(key, { compiler, members: [file] });
    else known.members.push(file);
  }
  const all = [...projects.values()];
  all[0]?.members.push(...others);
  return all;
}

function startProject(compiler: Compiler, files: readonly string[], notice: (text: string) => void): TypeCheck {
  let project: string;
  try {
    project = writeProject({ files, compiler });
  } catch (error) {
    notice(`types are not checked: ${(error as Error).message}`);
    return noTypeCheck;
  }
  return compile(compiler, project, notice);
}

function compile({ command, words }: Compiler, project: string, notice: (text: string) => void): TypeCheck {
  const folder = process.cwd();
  const child = asPrivate(() =>
    spawn(command, [...words, "-p", project, "--pretty", "false"], {
      cwd: folder,
      stdio: ["ignore", "pipe", "ignore"],
      timeout: deadlineSeconds * 1000,
      killSignal: "SIGKILL",
    }),
  );
  let output = "";
  let isStopped = false;
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  const error = new Promise<FurrowError | undefined>((done) => {
    child.on("error", (failure) => {
      notice(`types are not checked: ${failure.message}`);
      done(undefined);
    });
    child.on("close", (code, signal) => {
      const found = readDiagnostics(output, folder);
      const own = found.filter(isUsers);
      if (own.length > 0) done(typesError(own, folder));
      else {
        // Errors in a package's declarations are reported only if they cannot be parsed; then no types are compared.
        const unparsed = isStopped ? undefined : found.find(({ file }) => /\.d\.[cm]?ts$/.test(file ?? ""));
        if (unparsed) notice(`types are not checked: ${unparsed.file}:${unparsed.line}: ${unparsed.lines[0]}`);
        else if (!isStopped && hasFailed(code, found))
          notice(`types are not checked: ${found[0]?.lines[0] ?? `the compiler ended with ${signal ?? code}`}`);
        done(undefined);
      }
    });
  });
  return {
    error,
    stop: () => {
      isStopped = true;
      child.kill("SIGKILL");
    },
  };
}

/** Starts a process whose files only this user can read: the compiler's state quotes the user's files. */
function asPrivate<T>(start: () => T): T {
  const before = process.umask(0o077);
  try {
    return start();
  } finally {
    process.umask(before);
  }
}

/** True if the compiler did not check the files: it only reported errors in its own settings. */
function hasFailed(code: number | null, found: readonly Diagnostic[]): boolean {
  return code !== 0 && found.every(({ file }) => file === undefined || file.endsWith("tsconfig.json"));
}
