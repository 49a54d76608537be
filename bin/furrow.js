#!/usr/bin/env node
// Any installed Node may read this file, so it uses only syntax that Node 12 can parse, and imports only Node's modules.
import { spawn } from "child_process";
import { existsSync, mkdirSync, readFileSync } from "fs";
import module from "module";
import { Socket } from "net";
import { tmpdir } from "os";
import { dirname, join, resolve } from "path";
import { fileURLToPath, pathToFileURL } from "url";
import v8 from "v8";

const here = dirname(fileURLToPath(import.meta.url));
const { engines, version } = JSON.parse(readFileSync(join(here, "../package.json"), "utf8"));
const args = process.argv.slice(2);
const ownFolders = ["../src/", "../tasks/"].map((folder) => pathToFileURL(join(here, folder)).href);
// The V8 flags that make short runs faster were tested on these Node versions. V8 prints a warning for an unknown flag.
const tunes = parseInt(process.versions.node, 10) <= 24;
let compilesAll = false;
let optimizes = true;
const loadedBuiltins = Object.create(null);
/** The file descriptor of the pipe between the starting process and the process that runs on furrow's own Node. */
const starterFd = "3";

if (args.length === 1 && /^(-V|--version)$/.test(args[0])) console.log(version);
else if (args.length === 1 && /^(-h|--help|help)$/.test(args[0]))
  process.stdout.write(readFileSync(join(here, "help.txt"), "utf8"));
else if (isNewEnough(process.versions.node)) start();
else startOnOwnNode();

function isNewEnough(found) {
  const needed = engines.node.replace(">=", "").split(".").map(Number);
  const [major, minor] = found.split(".").map(Number);
  return major > needed[0] || (major === needed[0] && minor >= needed[1]);
}

function start() {
  if (process.env.FURROW_ON_OWN_NODE === starterFd) endWithStarter();
  if (tunes) compileLittle();
  cacheCompiledCode();
  if (module.registerHooks) module.registerHooks({ resolve: find });
  const source = join(here, "../src/cli/main.ts");
  const entry = existsSync(source) ? source : join(here, "../src/cli/main.js");
  // Whatever ends this process before the command returns its exit code, it is a failure.
  process.exitCode = 1;
  import(pathToFileURL(entry).href)
    .then((cli) => cli.main(args))
    .then((code) => {
      process.exitCode = code;
      // A timer of the user's code may still call process.exit.
      process.once("exit", () => (process.exitCode = code));
      // All output has been written by now. Node would free every object before it exits; the system does that faster.
      process.once("beforeExit", () => process.exit());
    })
    .catch((error) => {
      const installed = existsSync(join(here, "../node_modules")) || entry !== source;
      if (installed || error.code !== "ERR_MODULE_NOT_FOUND") throw error;
      fail(`furrow's dependencies are not installed: run "npm ci" in ${dirname(here)}`);
    });
}

/**
 * Lets Node cache compiled code on disk. Node would try forever to create its folder where nothing can be created, such
 * as in /proc, so this creates the folder first.
 */
function cacheCompiledCode() {
  if (!module.enableCompileCache) return;
  try {
    if (!process.env.NODE_COMPILE_CACHE) mkdirSync(join(tmpdir(), "node-compile-cache"));
  } catch (error) {
    if (error.code !== "EEXIST") return;
  }
  module.enableCompileCache();
}

/**
 * Turns off V8's optimizing compiler (TurboFan). A run lasts seconds and mostly waits, so compiling costs more CPU time
 * than the faster code saves: a quarter of a run of 450 tasks on 4 hosts, and still a tenth on 24 hosts. The compiler
 * below it (Maglev) stays on. src/core/optimizer.ts turns TurboFan on again where it pays off.
 */
function compileLittle() {
  optimize(false);
  globalThis[Symbol.for("furrow.optimize")] = optimize;
}

/** Turns TurboFan on or off. 61440 is V8's default. */
function optimize(on) {
  if (on === optimizes) return;
  optimizes = on;
  v8.setFlagsFromString(`--max-optimized-bytecode-size=${on ? 61440 : 0}`);
}

/**
 * Loads one of Node's modules with V8's own flags, including whatever its exports load when they are first read. Node
 * ships its modules compiled, but V8 compiles them again if its flags differ from those that Node was built with, which
 * takes twice as long.
 */
function loadBuiltin(name) {
  if (loadedBuiltins[name]) return;
  loadedBuiltins[name] = true;
  const optimized = optimizes;
  optimize(true);
  compileAll(false);
  // Node also reads every export when it wraps this module in an ES module.
  Object.values(process.getBuiltinModule(name));
  optimize(optimized);
}

/**
 * V8 compiles a function when it is first called, but Node caches on disk only what was compiled while a file was
 * loaded. Files in which a run uses most functions are therefore compiled completely, which saves a tenth of the CPU
 * time of a short run. V8 rejects code compiled with other flags, so each file must always be loaded with the same
 * flags (docs/decisions/project/030).
 */
function compileAll(on) {
  if (on === compilesAll) return;
  compilesAll = on;
  v8.setFlagsFromString(on ? "--no-lazy" : "--lazy");
}

/** Resolves a module, and sets V8's flags for it: Node loads and compiles a module right after this returns. */
function find(specifier, context, next) {
  const found = resolveQuickly(specifier, context, next);
  if (!tunes) return found;
  if (found.url.startsWith("node:")) loadBuiltin(found.url.slice(5));
  else compileAll(isUsedWhole(found.url));
  return found;
}

function isUsedWhole(url) {
  return ownFolders.some((folder) => url.startsWith(folder)) || /\/node_modules\/(ssh2|croner|js-yaml)\//.test(url);
}

/**
 * The modules of furrow and zod import each other by the exact path of a file. For these hundreds of modules, Node does
 * not have to search for the file, or for the package.json that specifies its type. This saves a fifth of the CPU time
 * of a short run.
 */
function resolveQuickly(specifier, context, next) {
  const { parentURL } = context;
  if (specifier[0] !== "." || parentURL === undefined) return next(specifier, context);
  const suffix = specifier.slice(-3);
  const known =
    suffix === ".ts"
      ? ownFolders.some((folder) => parentURL.startsWith(folder))
      : suffix === ".js" && parentURL.slice(-3) === ".js" && isKnownModule(parentURL);
  if (!known) return next(specifier, context);
  const format = suffix === ".ts" ? "module-typescript" : "module";
  return { url: new URL(specifier, parentURL).href, format, shortCircuit: true };
}

function isKnownModule(url) {
  return ownFolders.some((folder) => url.startsWith(folder)) || /\/node_modules\/zod\/v4\/[^?]*$/.test(url);
}

/** Runs the same command on the Node that is installed in furrow's project or in the project of the current folder. */
function startOnOwnNode() {
  const own = process.env.FURROW_ON_OWN_NODE ? undefined : [here, process.cwd()].map(nodeAbove).find(Boolean);
  if (!own)
    fail(
      `furrow needs Node ${engines.node}, but this is ${process.versions.node}: install a newer Node, or run "npm install --save-dev node@24" here`,
    );
  const env = Object.assign({}, process.env, { FURROW_ON_OWN_NODE: starterFd, FURROW_STARTED_AS: process.argv[1] });
  const stdio = ["inherit", "inherit", "inherit", "pipe"];
  const child = spawn(own, [fileURLToPath(import.meta.url)].concat(args), { env, stdio });
  passSignals(child);
  child.on("error", (error) => fail(`furrow cannot start ${own}: ${error.message}`));
  child.on("exit", (code, signal) => {
    if (signal) process.removeAllListeners(signal);
    if (signal) process.kill(process.pid, signal);
    else process.exit(code);
  });
}

/**
 * Passes signals on to the process that runs on furrow's own Node. A terminal or a service manager sends a signal to
 * both processes, but `kill PID` only to this one, and neither process can tell the two cases apart. Therefore this
 * process writes the signal's name into the pipe; the other process also receives signals directly, and compares the
 * two, so it counts each signal once. As long as the other process does not listen for signals, it gets the signal
 * itself, which ends even an endless loop.
 */
function passSignals(child) {
  let listens = false;
  const pipe = child.stdio && child.stdio[Number(starterFd)];
  // A process that could not be started may have no pipe.
  if (!pipe) return;
  pipe.on("data", (data) => (listens = String(data).slice(-1) === "+"));
  // If that process has ended, this one ends too.
  pipe.on("error", () => undefined);
  const pass = (signal) => (listens ? pipe.write(`${signal}\n`) : child.kill(signal));
  // The pipe is read before the callback of setImmediate runs, so by then it is known whether the process listens for
  // signals.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => setImmediate(pass, signal));
}

/**
 * Receives the signals that the starting process passes on. Kills this process if the starting process ends without
 * passing a signal on, which happens only if it was killed: `kill -9` of the command that the user started must not
 * leave a run behind.
 */
function endWithStarter() {
  delete process.env.FURROW_ON_OWN_NODE;
  // furrow prints commands for the user to paste; they must start furrow the way the user did.
  if (process.env.FURROW_STARTED_AS) process.argv[1] = process.env.FURROW_STARTED_AS;
  delete process.env.FURROW_STARTED_AS;
  const starter = new Socket({ fd: Number(starterFd), readable: true, writable: true });
  const end = () => process.kill(process.pid, "SIGKILL");
  const actByDefault = (signal) => process.kill(process.pid, signal);
  let take = actByDefault;
  const takeAll = (data) =>
    String(data)
      .trim()
      .split("\n")
      .forEach((signal) => take(signal));
  starter.on("end", end).on("error", end).on("data", takeAll).unref();
  globalThis[Symbol.for("furrow.passedSignals")] = (listener) => {
    take = listener || actByDefault;
    starter.write(listener ? "+" : "-");
  };
}

function nodeAbove(folder) {
  const own = join(folder, "node_modules/node/bin/node");
  if (existsSync(own)) return own;
  return resolve(folder, "..") === folder ? undefined : nodeAbove(resolve(folder, ".."));
}

function fail(line) {
  console.error(line);
  process.exit(64);
}
