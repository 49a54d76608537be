import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Node } from "../../src/core/authoring/group.ts";
import { secretOf } from "../../src/core/secrets/secret.ts";
import { stampPath, unpackedPath } from "../../src/facts/catalogue.ts";
import * as t from "../../tasks/index.ts";
import { serve } from "../web-server.ts";
import { taskHost, type TaskEnd } from "./on-host.ts";

const here = taskHost();
const folder = mkdtempSync(join(tmpdir(), "furrow-tasks-"));
const at = (...names: string[]): string => join(folder, ...names);
const stamps: string[] = [];

const said = (ends: readonly TaskEnd[]): string[] =>
  ends.map(({ outcome, error, dependsOn }) => [outcome, error?.message, dependsOn].filter(Boolean).join(": "));

/**
 * Runs check mode, then a run, then both again: the host must end in the state that check predicted, and then stay
 * unchanged.
 */
const prove = async (...nodes: readonly Node[]): Promise<{ foreseen: string[]; done: string[]; ends: TaskEnd[] }> => {
  const foreseen = said(await here.check(...nodes));
  const ends = await here.apply(...nodes);
  return { foreseen, done: said(ends), ends };
};

let base = "";
let close: () => void = () => undefined;
let archive: Buffer;
let requests: string[] = [];

beforeAll(async () => {
  mkdirSync(at("tree/app-1"), { recursive: true });
  writeFileSync(at("tree/app-1/run"), "#!/bin/sh\necho here\n", { mode: 0o755 });
  execFileSync("tar", ["-C", at("tree"), "-czf", at("app.tgz"), "app-1"]);
  archive = readFileSync(at("app.tgz"));
  const sums = `${createHash("sha256").update(archive).digest("hex")}  app.tgz\n`;
  ({ base, close } = await serve((request, response) => {
    requests.push(request.url ?? "");
    if (request.url === "/SUMS") return void response.end(sums);
    if (request.url === "/app.tgz") return void response.end(archive);
    return void response.writeHead(request.url === "/ping" ? 200 : 404).end("pong\n");
  }));
});
afterAll(() => {
  close();
  for (const path of stamps) rmSync(path, { force: true });
  rmSync(folder, { recursive: true });
});

describe("on an empty host", () => {
  test("lines and blocks in one file are predicted one after another", async () => {
    const path = at("hosts");
    const tasks = [
      t.fileLine({ path, line: "one", create: true, mode: "0640" }),
      t.fileLine({ path, line: "two", insertBefore: "^one" }),
      t.fileBlock({ path, block: "three\nfour\n", insertAfter: "^two" }),
      t.fileLine({ path, line: "ONE", match: "^one$" }),
      t.fileLine({ path, state: "absent", line: "four" }),
    ];
    // The second-to-last task undoes the first, so the two are not in one play.
    const { foreseen, done } = await prove(...tasks.slice(0, 3));
    expect([foreseen, done]).toEqual([Array(3).fill("changed"), Array(3).fill("changed")]);
    expect(await prove(tasks[3])).toMatchObject({ foreseen: ["changed"], done: ["changed"] });
    const text = "two\n# BEGIN managed by furrow\nthree\nfour\n# END managed by furrow\nONE\n";
    expect(readFileSync(path, "utf8")).toBe(text);
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(await prove(tasks[1], tasks[2], tasks[3])).toMatchObject({
      foreseen: ["ok", "ok", "ok"],
      done: ["ok", "ok", "ok"],
    });
  });

  test("a secret line is written, and appears in no report", async () => {
    const path = at("token");
    const call = t.fileLine({
      path,
      line: `token=${secretOf("h1dd3n-token", "token")}`,
      match: "^token=",
      create: true,
    });
    writeFileSync(path, "a\r\ntoken=0ld\r\ncaf\xe9", { encoding: "latin1", mode: 0o600 });
    const { foreseen, done, ends } = await prove(call);
    expect([foreseen, done]).toEqual([["changed"], ["changed"]]);
    expect(readFileSync(path, "latin1")).toBe("a\r\ntoken=h1dd3n-token\r\ncaf\xe9");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(JSON.stringify(ends)).not.toMatch(/h1dd3n|0ld/);
    expect(said(await here.apply(call))).toEqual(["ok"]);
  });

  test("check predicts a download, its unpacking, and a command from the archive", async () => {
    const path = at("srv/app.tgz");
    const to = at("srv/app");
    stamps.push(stampPath(path), unpackedPath(to, path));
    const run = t.command({ command: [join(to, "run")], creates: at("ran") });
    const tasks = [
      t.file({ path: at("srv"), state: "directory" }),
      t.download({ url: `${base}/app.tgz`, path, checksum: { url: `${base}/SUMS` }, mode: "0640" }),
      t.unarchive({ archive: path, path: to, strip: 1 }),
      t.command({
        command: `${to}/run >${at("ran")}`,
        creates: at("ran"),
        disturbs: [`file:${at("ran")}`],
        mayProvide: [],
      }),
      t.command({
        command: ["touch", at("truth")],
        unless: ["test", "-e", at("truth")],
        readOnly: true,
        reads: [`file:${at("truth")}`],
      }),
      t.fetch({ path: at("ran"), to: at("new/copy"), secret: true }),
    ];
    const { foreseen, done } = await prove(...tasks);
    expect(foreseen.slice(0, 5)).toEqual(Array(5).fill("changed"));
    expect(done).toEqual(Array(6).fill("changed"));
    expect(readFileSync(at("new/copy"), "utf8")).toBe("here\n");
    expect(statSync(at("new/copy")).mode & 0o777).toBe(0o600);
    expect(existsSync(stampPath(path))).toBe(true);
    requests = [];
    const again = await prove(...tasks);
    expect(again.foreseen).toEqual(Array(6).fill("ok"));
    expect(again.done).toEqual(Array(6).fill("ok"));
    expect(requests.filter((url) => url === "/app.tgz")).toEqual([]);
    expect(said(await here.check(run))).toEqual(["ok"]);
  });

  test("a damaged download is fixed, even with the same size and time", async () => {
    const path = at("srv/app.tgz");
    const { atime, mtime, size } = statSync(path);
    await new Promise((resolve) => setTimeout(resolve, 20));
    writeFileSync(path, Buffer.alloc(size, 1));
    utimesSync(path, atime, mtime);
    const call = t.download({ url: `${base}/app.tgz`, path, checksum: { url: `${base}/SUMS` } });
    expect(await prove(call)).toMatchObject({ foreseen: ["changed"], done: ["changed"] });
    expect(readFileSync(path).equals(archive)).toBe(true);
    const owned = t.download({ url: `${base}/app.tgz`, path, checksum: { url: `${base}/SUMS` }, mode: "0600" });
    expect(await prove(owned)).toMatchObject({ foreseen: ["changed"], done: ["changed"] });
    expect((await here.apply(owned))[0]).toMatchObject({ outcome: "ok", notes: [] });
  });

  test("a fetched secret is never readable by others, even if a killed run left a readable file", async () => {
    writeFileSync(at("new/copy2.furrow"), "left", { mode: 0o666 });
    const call = t.fetch({ path: at("ran"), to: at("new/copy2"), secret: true });
    expect(await prove(call)).toMatchObject({ foreseen: ["changed"], done: ["changed"] });
    expect(statSync(at("new/copy2")).mode & 0o777).toBe(0o600);
    expect(existsSync(at("new/copy2.furrow"))).toBe(false);
  });

  test("a download of a missing page fails, and leaves no file", async () => {
    const [end] = await here.apply(t.download({ url: `${base}/none`, path: at("srv/none"), checksum: "none" }));
    expect(end?.outcome).toBe("failed");
    expect(JSON.stringify(end?.error?.failure)).toContain("the server answered 404");
    expect(existsSync(at("srv/none"))).toBe(false);
  });
});

describe("commands", () => {
  const marker = at("asked");
  test("do not run in check mode, not even those in `unless`, except with readOnly", async () => {
    const unless = ["sh", "-c", `echo x >>${marker}; test -e ${at("made")}`];
    const call = t.command({ command: ["touch", at("made")], unless });
    const [end] = await here.check(call);
    expect([end?.outcome, existsSync(marker)]).toEqual(["undecided", false]);
    expect(said(await here.apply(call))).toEqual(["changed"]);
    expect(readFileSync(marker, "utf8")).toBe("x\nx\n");
    expect(said(await here.apply(call))).toEqual(["ok"]);
    expect(said(await here.check(t.command({ command: ["false"], unless, readOnly: true })))).toEqual(["ok"]);
  });

  test("run every time with `always`, and later tasks can use their output", async () => {
    const probe = t.command({
      command: "cat; echo $WORD",
      always: true,
      stdin: "in\n",
      env: { WORD: secretOf("w0rd", "word") },
    });
    const holds = (word: string) =>
      t.assert({ that: [{ check: probe.output.map(({ stdout }) => stdout === `in\n${word}\n`), message: "no" }] });
    expect(said(await here.apply(probe, holds("w0rd")))).toEqual(["changed", "ok"]);
    expect(said(await here.apply(probe, holds("word")))).toEqual(["changed", "failed: no"]);
    expect(said(await here.check(probe, holds("word")))[0]).toBe("changed");
  });

  test.each([
    {
      title: "a missing program",
      call: () => t.command({ command: ["no-such-program"], always: true }),
      says: 'failed: "no-such-program" is not in any directory of the host\'s PATH',
    },
    {
      title: "a missing file",
      call: () => t.fileLine({ path: at("none"), line: "x" }),
      says: `failed: ${at("none")} does not exist`,
    },
    {
      title: "an assertion",
      call: () => t.assert({ that: [{ check: false, message: "too small" }] }),
      says: "failed: too small",
    },
    {
      title: "a missing file to fetch",
      call: () => t.fetch({ path: at("none"), to: at("x") }),
      says: `failed: ${at("none")} does not exist on the host`,
    },
  ])("fail in check mode and in a run: $title", async ({ call, says }) => {
    expect(await prove(call())).toMatchObject({ foreseen: [says], done: [says] });
  });

  test("run as the given user, like the command in `unless`", async () => {
    const isNobody = ["sh", "-c", '[ "$(id -un)" = nobody ]'];
    expect(said(await here.apply(t.command({ command: isNobody, always: true, user: "nobody" })))).toEqual(["changed"]);
    expect(said(await here.apply(t.command({ command: isNobody, always: true }, { become: "nobody" })))).toEqual([
      "changed",
    ]);
    expect(said(await here.apply(t.command({ command: ["false"], unless: isNobody, user: "nobody" })))).toEqual(["ok"]);
    const [end] = await here.apply(t.command({ command: isNobody, always: true }));
    expect(end?.error?.code).toBe("E_STEP");
  });

  test("fail if they do not create the path in `creates`", async () => {
    const [end] = await here.apply(t.command({ command: ["true"], creates: at("never") }));
    expect(end?.error?.code).toBe("E_NOT_CONVERGED");
  });
});

describe("waits", () => {
  test.each(["controller", "host"] as const)("end when a web server answers a request from the %s", async (from) => {
    const wait = t.httpWait({ url: `${base}/ping`, from, body: "pong", times: 3, intervalSeconds: 0.1 });
    requests = [];
    expect(said(await here.apply(wait))).toEqual(["ok"]);
    expect(requests).toHaveLength(3);
  });

  test("show the last answer and the likely cause when they fail", async () => {
    const [end] = await here.apply(t.httpWait({ url: `${base}/none`, intervalSeconds: 0.1, deadlineSeconds: 0.3 }));
    expect(end?.error).toMatchObject({ code: "E_WAIT" });
    expect(end?.error?.failure.details?.join()).toContain(
      "answered 404 instead of 200; its body began: pong. Likely: the server is up",
    );
  });

  test("end when a port opens or a file appears, and send one request in check mode", async () => {
    const port = Number(new URL(base).port);
    const later = at("later");
    setTimeout(() => writeFileSync(later, ""), 500);
    const waits = [
      t.waitFor({ port }),
      t.waitFor({ path: later, intervalSeconds: 0.2 }),
      t.waitFor({ cloudInit: true }),
    ];
    requests = [];
    const ping = t.httpWait({ url: base });
    const seen = t.assert({ that: [{ check: ping.output.map(({ status }) => status === 0), message: "no" }] });
    const [foreseen, decided] = await here.check(ping, seen);
    expect([foreseen?.outcome, decided?.outcome]).toEqual(["ok", "undecided"]);
    expect(requests).toHaveLength(1);
    expect(said(await here.apply(...waits))).toEqual(["ok", "ok", "ok"]);
    const [end] = await here.apply(t.waitFor({ port: 9, intervalSeconds: 0.1, deadlineSeconds: 0.2 }));
    expect(end?.error?.failure.details?.join()).toContain(
      "open of port:127.0.0.1 9: current value is false, expected true",
    );
  });
});
