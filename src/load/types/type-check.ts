import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { dirname } from "node:path";
import { FurrowError } from "../../core/errors.ts";
import { type Compiler, findCompiler } from "./compiler.ts";
import { readDiagnostics } from "./diagnostics.ts";
import { realFile } from "../playbook/real-file.ts";
import { upward, writeProject, writeTemporaryProject, type Written } from "./project.ts";
import { digestOfInputs, isKnownClean, recordClean } from "./known-clean.ts";
import { unchecked, type Verdict, verdictOf } from "./verdict.ts";

/** A running type check. */
export interface TypeCheck {
  /** The type errors in the user's files; undefined if there are no errors or no compiler. Never rejects. */
  readonly error: Promise<FurrowError | undefined>;
  /**
   * The type errors, without those that were found when the files were loaded: the loader's messages are more precise.
   */
  errorBesides(told: readonly FurrowError[]): Promise<FurrowError | undefined>;
  /** Kills the compiler; its result is no longer needed. */
  stop(): void;
}

type Judge = NonNullable<Verdict["error"]>;

function checkOf(judge: Promise<Judge>, stop: () => void): TypeCheck {
  const errorBesides = (told: readonly FurrowError[]): Promise<FurrowError | undefined> =>
    judge.then((errorOf) => errorOf(told));
  return { error: errorBesides([]), errorBesides, stop };
}

/** A check that finds no errors, used if types are not checked. */
export const noTypeCheck: TypeCheck = checkOf(
  Promise.resolve(() => undefined),
  () => {},
);

/** The compiler is killed after this time. */
const deadlineSeconds = 120;

/**
 * Starts the TypeScript compiler of each file's project and returns the check immediately; the compilers run in the
 * background. No compiler starts for a project in which nothing has changed since a check without errors. JavaScript is
 * not checked, but the TypeScript files that it imports are. A file whose project has no compiler is checked together
 * with the first project that has one; nothing is checked if no project has one. `notice` receives the reason if types
 * are not checked. If the only reason is that TypeScript is not installed, `notice` is called only for projects with a
 * tsconfig.json, or for all projects if `isWanted` is set.
 */
export function startTypeCheck(
  paths: readonly string[],
  notice: (text: string) => void,
  { isWanted = false }: { readonly isWanted?: boolean } = {},
): TypeCheck {
  // The loader reports any other path; the compiler would read a FIFO forever.
  const files = [...new Set(paths.map(realFile))].filter(
    (path) => /\.m?[jt]s$/.test(path) && statSync(path, { throwIfNoEntry: false })?.isFile() === true,
  );
  const projects = projectsOf(files);
  const unserved = projects.length === 0 ? files.filter((path) => path.endsWith("ts")) : [];
  if (unserved.some((path) => isWanted || upward(dirname(path), "tsconfig.json").length > 0)) {
    const remedy = "run npm install --save-dev typescript @types/node, or add --no-types";
    notice(unchecked(`TypeScript is not installed; ${remedy}`));
  }
  const checks = projects.map(({ compiler, members }) => startProject(compiler, members, notice));
  const errorBesides = async (told: readonly FurrowError[]): Promise<FurrowError | undefined> => {
    const errors = await Promise.all(checks.map((check) => check.errorBesides(told)));
    return errors.find((error) => error !== undefined);
  };
  return {
    error: errorBesides([]),
    errorBesides,
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
  let project: Written;
  let before: string | undefined;
  try {
    project = writeProject({ files, compiler });
    before = digestOfInputs(project, compiler);
    if (before !== undefined && isKnownClean(project, before)) return noTypeCheck;
  } catch {
    return startWithoutState(compiler, files, notice);
  }
  return compile(compiler, project, {
    notice,
    foundClean: () => {
      // A file that changed while the compiler ran may have been read before or after the change.
      if (before !== undefined && digestOfInputs(project, compiler) === before) recordClean(project, before);
    },
    ended: () => {},
  });
}

/** Checks the types from a temporary folder, because the state folder cannot be used. */
function startWithoutState(compiler: Compiler, files: readonly string[], notice: (text: string) => void): TypeCheck {
  try {
    const { remove, ...project } = writeTemporaryProject({ files, compiler });
    let stop = (): void => {};
    const leave = (): void => {
      stop();
      remove();
    };
    process.once("exit", leave);
    const ended = (): void => {
      process.off("exit", leave);
      remove();
    };
    const check = compile(compiler, project, { notice, foundClean: () => {}, ended });
    stop = () => check.stop();
    return check;
  } catch (error) {
    const failure = new FurrowError("E_TYPES", {
      what: "the types cannot be checked",
      current: (error as Error).message,
      hint: "Set XDG_STATE_HOME or TMPDIR to a writable folder, or skip the type check with --no-types",
      cause: error,
    });
    return checkOf(
      Promise.resolve(() => failure),
      () => {},
    );
  }
}

/** Callbacks for the results of a compiler's run other than its errors. */
interface Listener {
  readonly notice: (text: string) => void;
  /** Called if nothing is wrong and everything was checked. */
  readonly foundClean: () => void;
  /** Called after the compiler has ended. */
  readonly ended: () => void;
}

function compile(
  { command, words }: Compiler,
  project: Pick<Written, "written" | "sources">,
  { notice, foundClean, ended }: Listener,
): TypeCheck {
  const folder = process.cwd();
  const child = asPrivate(() =>
    spawn(command, [...words, "-p", project.written, "--pretty", "false"], {
      cwd: folder,
      stdio: ["ignore", "pipe", "ignore"],
      timeout: deadlineSeconds * 1000,
      killSignal: "SIGKILL",
    }),
  );
  let output = "";
  let isStopped = false;
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  const judge = new Promise<Judge>((done) => {
    child.on("error", (failure) => {
      notice(unchecked(failure.message));
      ended();
      done(() => undefined);
    });
    child.on("close", (code, signal) => {
      const found = readDiagnostics(output, folder);
      const verdict = verdictOf({ ...project, found, end: signal ?? code, folder });
      if (verdict.notice !== undefined && !isStopped) notice(verdict.notice);
      if (verdict.notice === undefined && verdict.error === undefined && !isStopped) foundClean();
      ended();
      done(verdict.error ?? (() => undefined));
    });
  });
  return checkOf(judge, () => {
    isStopped = true;
    child.kill("SIGKILL");
  });
}

/** Starts a process whose files only this user can read, because the compiler's state quotes the user's files. */
function asPrivate<T>(start: () => T): T {
  const before = process.umask(0o077);
  try {
    return start();
  } finally {
    process.umask(before);
  }
}
