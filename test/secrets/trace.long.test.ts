import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hostLeader, runInHost } from "../../src/lab/index.ts";
import { covered } from "../covered.ts";
import { found } from "./needles.ts";
import { planted, type PlantedName } from "./planted.ts";
import { plantedHost, type PlantedHost } from "./planted-host.ts";
import { type Deed, Trace } from "./trace.ts";

let here: PlantedHost;
beforeAll(async () => {
  here = await plantedHost("secrets-trace");
});
afterAll(() => here.down());

/**
 * Where a secret may be written: to its own target, and to the file in the same directory that is then renamed to the
 * target.
 */
const targets: Readonly<Partial<Record<PlantedName | "generated", RegExp>>> = {
  var: /^\/etc\/planted\/(token|json|\.token\.furrow|\.json\.furrow)$/,
  file: /^\/etc\/planted\/(file|\.file\.furrow)$/,
  large: /^\/etc\/planted\/(large|\.large\.furrow)$/,
  generated: /^\/etc\/planted\/(made|\.made\.furrow)$/,
  line: /^\/etc\/planted\/(lines|\.lines\.furrow)$/,
  // The user's own commands write the secret to these files.
  stdin: /^(\/etc\/planted\/stdin|\/tmp\/planted-stdin)$/,
  // The HTTP request itself.
  header: /^TCP:\[/,
  // The password database, and the files that its tools write next to it.
  hash: /^\/etc\/(shadow|shadow-|shadow\+|nshadow)$/,
};

/**
 * Data between two processes of the connection: from sshd to the shell that it feeds, or from a builtin printf to the
 * program that reads it on stdin. This is how a secret is transmitted, and no other process can read it. A named socket
 * (of the system log, or of D-Bus) shows an address here, so it does not match.
 */
const inTransit = /^(pipe:\[\d+\]|UNIX-STREAM:\[\d+->\d+\]|UNIX-STREAM:\[\d+\]|socket:\[\d+\])$/;

/**
 * The files below a folder. readdir's `recursive` option follows links: `/run/shm` of a host, read through /proc, would
 * lead to the memory-backed file systems of this machine.
 */
function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : entry.isFile() ? [path] : [];
  });
}

function leaks(deeds: readonly Deed[], secrets: Readonly<Record<string, string>>): string[] {
  const list: string[] = [];
  for (const { call, to, data } of deeds) {
    if (inTransit.test(to)) continue;
    for (const hit of found(`${to}\0${data}`, secrets)) {
      const [name = ""] = hit.split(" ");
      const isTarget = to !== "" && targets[name as PlantedName]?.test(to);
      // A command receives a secret through its environment, which only its user can read: /proc/PID/environ has mode
      // 0400.
      const isHanded = name === "env" && call === "execve" && !found(data.split("WORD=")[0] ?? "", secrets).length;
      if (!isTarget && !isHanded) list.push(`${call} ${to}: ${hit}\n${data.slice(0, 300)}`);
    }
  }
  return [...new Set(list)];
}

/** Traces everything that sshd and its children do during these runs, in sequence. */
const traced = async (...runs: readonly (readonly [string, string, ...string[]])[]): Promise<readonly Deed[]> => {
  const trace = await Trace.attach(here.host, join(here.screens.folder, "trace"));
  for (const run of runs) {
    const seen = await here.furrow(...run);
    expect(seen.code, seen.text).toBe(0);
  }
  return trace.end();
};

test("no run passes a secret to the kernel except on stdin, in an environment, or as the content of its target", async () => {
  const round = (number: number): string[] => ["--var", `round=${number}`, "-v", "--diff"];
  const deeds = await traced(
    ["check", "playbook.ts", ...round(1)],
    ["run", "playbook.ts", ...round(1)],
    ["check", "playbook.ts", ...round(2)],
    ["run", "playbook.ts", ...round(2)],
  );
  const generated = readFileSync(join(here.screens.folder, ".local/state/furrow/generated/planted"), "utf8").trim();
  const secrets: Readonly<Record<string, string>> = { ...planted, generated };
  expect(deeds.filter(({ call }) => call === "execve").length).toBeGreaterThan(100);
  expect(leaks(deeds, secrets)).toEqual([]);
  // All secrets except the passphrase were transmitted, so the search would have found them.
  const seen = ([, value]: [string, string]): boolean => deeds.some(({ data }) => found(data, { value }).length > 0);
  const travelled = Object.entries(secrets).filter(seen);
  expect(travelled.map(([name]) => name)).toEqual(Object.keys(secrets).filter((name) => name !== "passphrase"));
  covered(`${deeds.length} system calls of a host's sshd and its children searched for ${travelled.length} secrets`);
});

test("after the runs, no file on the host or the controller contains a secret except the secret's target", async () => {
  const generated = readFileSync(join(here.screens.folder, ".local/state/furrow/generated/planted"), "utf8").trim();
  const secrets: Readonly<Record<string, string>> = { ...planted, generated };
  const root = `/proc/${await hostLeader(here.host)}/root`;
  const places = ["run", "tmp", "dev/shm", "var/lib/furrow"].map((place) => [join(root, place), root] as const);
  const hits = [[here.host.upperDir, here.host.upperDir] as const, ...places].flatMap(([folder, from]) =>
    filesBelow(folder).flatMap((file) => {
      const path = file.slice(from.length);
      return found(readFileSync(file, "latin1"), secrets)
        .filter((hit) => !targets[hit.split(" ")[0] as PlantedName]?.test(path))
        .map((hit) => `${path}: ${hit}`);
    }),
  );
  expect(hits).toEqual([]);
  const journal = await runInHost(here.host, ["journalctl", "--all", "--output=export", "--no-pager"]);
  expect(found(Buffer.from(journal.stdout).toString("latin1"), secrets)).toEqual([]);

  const state = join(here.screens.folder, ".local/state/furrow");
  const kept = filesBelow(state).filter((file) => found(readFileSync(file, "latin1"), secrets).length > 0);
  expect(kept).toEqual([join(state, "generated/planted")]);
  const closed = [...filesBelow(state), join(here.screens.folder, "copy")];
  expect(closed.filter((file) => (statSync(file).mode & 0o077) !== 0)).toEqual([]);
});

test("the same search finds planted leaks", async () => {
  const list = leaks(await traced(["run", "playbook-leaking.ts"]), planted).map((leak) => leak.split("\n")[0]);
  expect(list.some((leak) => leak?.startsWith("execve : stdin"))).toBe(true);
  expect(list.some((leak) => leak?.startsWith("write /root/.elsewhere.furrow: line"))).toBe(true);
  expect(list.some((leak) => /^(rename|openat)\w* : var/.test(leak ?? ""))).toBe(true);
});
