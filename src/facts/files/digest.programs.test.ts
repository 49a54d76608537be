import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { absent } from "../../core/facts/symbols.ts";
import { readKind } from "../../testing/read-kind.ts";
import { digest, digestKind } from "./digest.ts";
import { stampFunctions, stampWords } from "../../core/host/stamp.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-digest-"));
afterAll(() => rmSync(folder, { recursive: true }));
const hash = (algorithm: string, text: string): string => createHash(algorithm).update(text).digest("hex");

describe("digests", () => {
  test.each([["sh"], ["bash"], ["busybox", "sh"]])(
    "match the content in %s, and are printed back as the lines that they were read from",
    async (...words) => {
      writeFileSync(join(folder, "it's a file"), "content");
      mkdirSync(join(folder, "folder"), { recursive: true });
      rmSync(join(folder, "link"), { force: true });
      symlinkSync("it's a file", join(folder, "link"));
      const one = { ...digest(join(folder, "it's a file"), "sha256"), facets: ["sha256", "sha512"] };
      const questions = [one, ...["folder", "link", "none"].map((name) => digest(join(folder, name), "sha512"))];
      const shell = [...words, "-c"];
      const answers = await readKind(questions, { shell });
      const [value, ...others] = answers.map((answer) => answer.value);
      expect(value).toEqual({ sha256: hash("sha256", "content"), sha512: hash("sha512", "content"), stamped: false });
      expect(others).toEqual([absent, absent, absent]);
      answers.forEach((answer, index) => {
        expect(digestKind.print?.(answer.value as never, questions[index] as never)).toEqual(answer.lines);
      });
    },
  );
});

describe.each([["sh"], ["bash"], ["busybox", "sh"]])("stamps under %s", (...shell) => {
  const base = join(folder, shell.join("-"), "stamps");
  const call = (script: string): string =>
    execFileSync(shell[0] ?? "", [...shell.slice(1), "-c", `${stampFunctions}\n${script}`], { encoding: "utf8" });
  const stamped = (path: string, name = "sha256"): string =>
    call(`stamped ${stampWords(path, base)} ${name} || echo none`).trim();
  const fresh = (name: string): string => {
    const path = join(folder, shell.join("-"), name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, "content");
    call(`stamp ${stampWords(path, base)} sha256=abc sha512=def`);
    return path;
  };

  test("stay valid while the file is unchanged", () => {
    const path = fresh("still");
    expect([stamped(path), stamped(path, "sha512"), stamped(path, "md5")]).toEqual(["abc", "def", "none"]);
    expect(statSync(base).mode & 0o777).toBe(0o700);
    expect(
      readFileSync(
        execFileSync("find", [base, "-type", "f"], { encoding: "utf8" }).trim().split("\n")[0] ?? "",
        "utf8",
      ),
    ).toContain(`path=${path}`);
  });

  test.each([
    { title: "written", touch: (path: string) => appendFileSync(path, "x") },
    {
      title: "written in place, with its timestamps set back",
      touch: (path: string) => {
        const { atime, mtime } = statSync(path);
        writeFileSync(path, "CONTENT");
        utimesSync(path, atime, mtime);
      },
    },
    { title: "given another mode", touch: (path: string) => chmodSync(path, 0o600) },
    {
      title: "replaced",
      touch: (path: string) => execFileSync("sh", ["-c", 'cp -p "$0" "$0.n" && mv "$0.n" "$0"', path]),
    },
    { title: "removed", touch: (path: string) => rmSync(path) },
  ])("are invalid once the file is $title", async ({ title, touch }) => {
    const path = fresh(title.replaceAll(" ", "-"));
    // The kernel's clock ticks only every few milliseconds, and the change needs a new ctime.
    await new Promise((resolve) => setTimeout(resolve, 20));
    touch(path);
    expect(stamped(path)).toBe("none");
  });

  test("are not trusted if they are symlinks", () => {
    const path = fresh("forged");
    const stamp = stampWords(path, base).split(" ")[1] ?? "";
    execFileSync("sh", ["-c", `mv ${stamp} ${stamp}.real && ln -s ${stamp}.real ${stamp}`]);
    expect(stamped(path)).toBe("none");
  });

  test("do not fail if they cannot be written", () => {
    expect(call(`stamp ${stampWords(join(folder, "it's a file"), "/proc/nowhere")} sha256=abc; echo $?`)).toBe("0\n");
  });
});
