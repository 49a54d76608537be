import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Behaviour, content, cutOnce, page, serve, whole } from "../../test/web-server.ts";
import { attributesScript, downloadScript } from "./script.ts";

const hex = createHash("sha256").update(content).digest("hex");
const folder = mkdtempSync(join(tmpdir(), "furrow-download-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Options {
  readonly path?: string;
  readonly checksum?: readonly [string, string];
  readonly mode?: string;
  readonly stdin?: string;
  readonly stall?: number;
  readonly tries?: number;
  readonly url?: string;
}

describe.each(["curl", "wget", "busybox"])("download by %s", (tool) => {
  const bin = join(folder, `bin-${tool}`);
  let requests: string[] = [];
  let behaviour: Behaviour = whole;
  let place = "";
  let close: () => void = () => undefined;
  let base = "";

  beforeAll(async () => {
    mkdirSync(bin);
    const tools =
      "sh cat sed tail head df awk grep mkdir mv rm chmod chown chgrp stat sha256sum sha512sum sync sleep printf";
    for (const name of [...tools.split(" "), ...(tool === "busybox" ? [] : [tool])]) {
      execFileSync("sh", ["-c", 'ln -s "$(command -v "$0")" "$1/$0"', name, bin]);
    }
    if (tool === "busybox") execFileSync("sh", ["-c", 'ln -s "$(command -v busybox)" "$0/wget"', bin]);
    ({ base, close } = await serve((request, response) => {
      const { headers, method, url } = request;
      requests.push([method, url, headers.range ?? "whole", headers["x-key"]].filter(Boolean).join(" "));
      behaviour(request, response, requests.length === 1);
    }));
  });
  afterAll(() => close());
  beforeEach(() => {
    requests = [];
    behaviour = whole;
    place = mkdtempSync(join(folder, "place-"));
  });

  const start = (options: Options = {}): Promise<{ code: number; stderr: string }> => {
    const path = options.path ?? join(place, "it's a file");
    const part = join(path, "..", ".it.part");
    const [algorithm, digest] = options.checksum ?? ["sha256", hex];
    const words = [options.url ?? `${base}/file`, path, part, algorithm, digest, "5", String(options.stall ?? 5)];
    const rest = [String(options.tries ?? 3), options.mode ?? "", "", "", join(place, "stamps/x"), ""];
    return new Promise((resolve) => {
      const env = { PATH: bin, LC_ALL: "C" };
      const child = execFile(
        "/bin/sh",
        ["-c", downloadScript, "download", ...words, ...rest],
        { env },
        (error, _out, stderr) =>
          resolve({ code: typeof error?.code === "number" ? error.code : error ? -1 : 0, stderr }),
      );
      child.stdin?.end(options.stdin ?? "");
    });
  };
  const left = (): string[] =>
    readdirSync(place)
      .filter((name) => name !== "stamps")
      .toSorted();
  const got = (): Buffer => readFileSync(join(place, "it's a file"));

  test("writes a file with its mode and a stamp, and leaves nothing else behind", async () => {
    expect(await start({ mode: "0640" })).toEqual({ code: 0, stderr: "" });
    expect(got().equals(content)).toBe(true);
    expect(left()).toEqual(["it's a file"]);
    expect(statSync(join(place, "it's a file")).mode & 0o777).toBe(0o640);
    expect(readFileSync(join(place, "stamps/x"), "utf8")).toContain(`sha256=${hex}`);
    expect(requests).toEqual(["GET /file whole"]);
  });

  test("works with SHA-512 and without a digest", async () => {
    const sha512 = createHash("sha512").update(content).digest("hex");
    expect((await start({ checksum: ["sha512", sha512] })).code).toBe(0);
    expect((await start({ checksum: ["", ""] })).code).toBe(0);
    expect(got().equals(content)).toBe(true);
    expect(statSync(join(place, "it's a file")).mode & 0o777).toBe(0o644);
  });

  test("writes an empty file", async () => {
    behaviour = (_request, response) => void response.end();
    expect((await start({ checksum: ["sha256", createHash("sha256").digest("hex")] })).code).toBe(0);
    expect(got()).toHaveLength(0);
  });

  test("keeps the mode of the file that it replaces", async () => {
    writeFileSync(join(place, "it's a file"), "old", { mode: 0o600 });
    expect((await start()).code).toBe(0);
    expect(statSync(join(place, "it's a file")).mode & 0o777).toBe(0o600);
  });

  test("never saves a 404 page, and does not retry after a 404", async () => {
    behaviour = page(404);
    writeFileSync(join(place, "it's a file"), "old");
    const { code, stderr } = await start();
    expect(code).toBe(1);
    expect(stderr).toContain("the server answered 404");
    expect(got().toString()).toBe("old");
    expect(left()).toEqual(["it's a file"]);
    expect(requests).toHaveLength(1);
  });

  test("never saves a 404 page behind a redirect, even without a digest", async () => {
    behaviour = (request, response, first) =>
      request.url === "/file"
        ? void response.writeHead(302, { location: "/other" }).end()
        : page(404)(request, response, first);
    expect((await start({ checksum: ["", ""] })).code).toBe(1);
    expect(left()).toEqual([]);
  });

  test("follows a redirect", async () => {
    behaviour = (request, response, first) =>
      request.url === "/file"
        ? void response.writeHead(302, { location: "/other" }).end()
        : whole(request, response, first);
    expect((await start()).code).toBe(0);
    expect(got().equals(content)).toBe(true);
  });

  test("retries if the server is busy", async () => {
    behaviour = (request, response, first) => (first ? page(503) : whole)(request, response, first);
    const { code, stderr } = await start();
    expect(stderr).toContain("try 1: the server answered 503; trying again in 1 s");
    expect(code).toBe(0);
  });

  test("resumes after an interruption", async () => {
    behaviour = cutOnce(whole);
    expect((await start()).code).toBe(0);
    expect(got().equals(content)).toBe(true);
    expect(requests).toEqual(["GET /file whole", expect.stringMatching(/^GET \/file bytes=[1-9]\d*-$/)]);
  });

  test("resumes the download of a killed run", async () => {
    writeFileSync(join(place, ".it.part"), content.subarray(0, 200_000));
    expect((await start()).code).toBe(0);
    expect(requests).toEqual(["GET /file bytes=200000-"]);
    expect(got().equals(content)).toBe(true);
    expect(left()).toEqual(["it's a file"]);
  });

  test("requests nothing if a killed run did everything except the rename", async () => {
    writeFileSync(join(place, ".it.part"), content);
    expect((await start()).code).toBe(0);
    expect(requests).toEqual([]);
  });

  test("starts over if the partial file belongs to another file", async () => {
    writeFileSync(join(place, ".it.part"), "another file");
    expect((await start()).code).toBe(0);
    expect(got().equals(content)).toBe(true);
  });

  test("starts over if the partial file is longer than the whole file", async () => {
    writeFileSync(join(place, ".it.part"), Buffer.concat([content, content]));
    expect((await start()).code).toBe(0);
    expect(got().equals(content)).toBe(true);
  });

  test("starts over if the server cannot resume", async () => {
    writeFileSync(join(place, ".it.part"), content.subarray(0, 200_000));
    behaviour = (_request, response) => void response.writeHead(200, { "content-length": content.length }).end(content);
    expect((await start()).code).toBe(0);
    expect(got().equals(content)).toBe(true);
  });

  test("does not resume without a digest to verify the result", async () => {
    writeFileSync(join(place, ".it.part"), "another file");
    expect((await start({ checksum: ["", ""] })).code).toBe(0);
    expect(got().equals(content)).toBe(true);
    expect(requests).toEqual(["GET /file whole"]);
  });

  test("refuses a file with the wrong digest, keeps the old file, and leaves no partial file", async () => {
    writeFileSync(join(place, "it's a file"), "old");
    const { code, stderr } = await start({ checksum: ["sha256", "0".repeat(64)] });
    expect(code).toBe(1);
    expect(stderr).toContain(`its sha256 is ${hex}, but ${"0".repeat(64)} was expected`);
    expect(got().toString()).toBe("old");
    expect(left()).toEqual(["it's a file"]);
    expect(requests).toHaveLength(1);
  });

  test("gives up on a server that stops sending, and keeps the partial file for the next run", async () => {
    behaviour = (_request, response) => {
      response.writeHead(200, { "content-length": content.length });
      response.write(content.subarray(0, 100_000));
    };
    const started = performance.now();
    expect((await start({ stall: 1, tries: 1 })).code).toBe(1);
    expect(performance.now() - started).toBeLessThan(60_000);
    expect(statSync(join(place, ".it.part")).size).toBeGreaterThan(0);
    expect(existsSync(join(place, "it's a file"))).toBe(false);
  });

  test("reports a server that is not listening", async () => {
    const { code, stderr } = await start({ url: "http://127.0.0.1:9/file", tries: 2 });
    expect(code).toBe(1);
    expect(stderr).toMatch(/refused|connect/i);
    expect(stderr).toMatch(/try 2/);
    expect(left()).toEqual([]);
  });

  test("does not follow a symlink that has taken the partial file's place", async () => {
    writeFileSync(join(place, "precious"), "precious");
    execFileSync("ln", ["-s", "precious", join(place, ".it.part")]);
    expect((await start()).code).toBe(0);
    expect(readFileSync(join(place, "precious"), "utf8")).toBe("precious");
  });

  test("sends headers with curl, and refuses to send them with wget", async () => {
    const { code, stderr } = await start({ stdin: 'header = "X-Key: a \\"b\\" \\\\c"\n' });
    expect(code === 0 ? requests : stderr).toEqual(
      tool === "curl"
        ? [String.raw`GET /file whole a "b" \c`]
        : "headers need curl, because wget takes them as arguments, where all users can read them\n",
    );
  });

  test("renews the stamp after changing the mode only if the stamp was valid", () => {
    const path = join(place, "f");
    writeFileSync(path, "x");
    const set = (mode: string): Buffer =>
      execFileSync("sh", [
        "-c",
        attributesScript,
        "download",
        path,
        "sha256",
        "abc",
        mode,
        "",
        "",
        join(place, "stamp"),
      ]);
    set("0600");
    expect(existsSync(join(place, "stamp"))).toBe(false);
    const state = execFileSync("stat", ["-c", "%s|%i|%z", path], {
      env: { ...process.env, TZ: "UTC0" },
      encoding: "utf8",
    });
    writeFileSync(join(place, "stamp"), `${state}sha256=abc\n`);
    set("0640");
    expect(statSync(path).mode & 0o777).toBe(0o640);
    const now = execFileSync("stat", ["-c", "%s|%i|%z", path], {
      env: { ...process.env, TZ: "UTC0" },
      encoding: "utf8",
    });
    expect(readFileSync(join(place, "stamp"), "utf8").startsWith(now)).toBe(true);
  });
});
