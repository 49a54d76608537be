import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, extname, join, resolve } from "node:path";

const fence = "```";
const bin = resolve(import.meta.dirname, "../../bin/furrow.js");

/** One run of the real command, as a user would start it. */
export interface Scene {
  /** The mistake or failure: a heading on the page. */
  readonly title: string;
  /** A sentence for scenes that need more explanation than the heading and files. */
  readonly about?: string;
  /** Files besides those shared by the whole page; shown above the transcript. */
  readonly files?: Readonly<Record<string, string>>;
  /** The parts of files to show instead of the whole files. */
  readonly show?: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The output of a scene. */
export interface Seen {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Both streams as a user sees them, with variable parts replaced by fixed text. */
  readonly text: string;
}

/** Replacements for parts of the output that differ from machine to machine. */
export type Steady = readonly (readonly [string | RegExp, string])[];

const repository = resolve(import.meta.dirname, "../..");
const steadyParts: Steady = [
  [repository, "/home/ann/node_modules/furrow"],
  // Progress of tasks that take longer than ten seconds, as any task may on a busy machine.
  [/^ *\S.*? {2,}working {2,}.*\n/gm, ""],
  // Durations are shown only if they are long, so all of them are removed.
  [/ {2}\d+(\.\d+)? (ms|s)$/gm, ""],
  [/\d+(\.\d+)? k?B (sent|received)/g, "5.5 kB $2"],
  [/\(node:\d+\)/g, "(node:1234)"],
  [/\bsh: \d+: /g, "sh: 1: "],
  [/\b\d+(\.\d+)? (ms|s)$/gm, "0.1 s"],
  [/SHA256:[\w+/=]{43}/g, "SHA256:0Xn8…"],
  [/\b(ssh-ed25519|ecdsa-sha2-nistp256|ssh-rsa) AAAA[\w+/=]+/g, "$1 AAAA…"],
];

/** The scenes for one part of the page, each played with the real command in a separate process. */
export class Screens {
  readonly folder: string = mkdtempSync(join(tmpdir(), "furrow-screens-"));
  readonly #title: string;
  readonly #intro: string;
  readonly #steady: [string | RegExp, string][] = [];
  /** Keyed by title, so that a scene that is played twice appears once on the page. */
  readonly #parts = new Map<string, string>();

  constructor(title: string, intro: string) {
    this.#title = title;
    this.#intro = intro;
  }

  /** Adds replacements for text that differs from run to run. */
  steady(...parts: Steady): void {
    for (const [from, to] of parts) this.#steady.push([from, to]);
  }

  /** Writes a file that all scenes share. */
  put(name: string, text: string): string {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  /** Plays a scene and adds its transcript to the page. */
  async play(scene: Scene): Promise<Seen> {
    for (const [name, text] of Object.entries(scene.files ?? {})) this.put(name, text);
    const seen = await this.run(scene.args, scene.env);
    this.#parts.set(scene.title, this.#transcript(scene, seen));
    return seen;
  }

  /** Runs the command without adding it to the page. */
  run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Seen> {
    return new Promise((done, fail) => {
      const child = spawn(process.execPath, [bin, ...args], {
        cwd: this.folder,
        env: { PATH: process.env["PATH"], HOME: this.folder, NO_COLOR: "1", LANG: "C.UTF-8", ...env },
        stdio: ["ignore", "pipe", "pipe"],
        // Without a controlling terminal, furrow cannot prompt.
        detached: true,
      });
      let [stdout, stderr, both] = ["", "", ""];
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        stdout += text;
        both += text;
      });
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        stderr += text;
        both += text;
      });
      child.on("error", fail);
      child.on("close", (code) => done({ code: code ?? -1, stdout, stderr, text: this.#settle(both) }));
    });
  }

  #settle(text: string): string {
    const all: Steady = [...this.#steady, [this.folder, "/home/ann"], ...steadyParts];
    return all.reduce((result, [from, to]) => result.replaceAll(from, to), text);
  }

  #transcript({ title, about, files = {}, show, args }: Scene, { code, text }: Seen): string {
    const blocks = Object.entries({ ...files, ...show }).map(([name, content]) => {
      const language = extname(name).slice(1);
      return `${fence}${language} ${name}\n${this.#settle(content).trimEnd()}\n${fence}`;
    });
    const command = ["furrow", ...args.map(quoted)].join(" ");
    const transcript = `${fence}console\n$ ${this.#settle(command)}\n${text.trimEnd()}\n$ echo $?\n${code}\n${fence}`;
    return [`### ${title}`, ...(about === undefined ? [] : [about]), ...blocks, transcript].join("\n\n");
  }

  /** This part of the page as Markdown. */
  page(): string {
    return `${[`## ${this.#title}`, this.#intro, ...this.#parts.values()].join("\n\n")}\n`;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function quoted(word: string): string {
  return /^[\w./,:@=*-]+$/.test(word) ? word : `'${word}'`;
}

/** A playbook with one play for all hosts and these tasks. */
export function playbookOf(tasks: string, options: { readonly imports?: string; readonly vars?: string } = {}): string {
  const vars = options.vars === undefined ? "" : `\n  vars: ${options.vars.trim()},`;
  const context = options.vars === undefined ? "()" : "({ vars })";
  return `import { playbook${options.vars === undefined ? "" : ", z"} } from "furrow";
import { ${options.imports ?? "file"} } from "furrow/tasks";

export default playbook({
  name: "A small site",${vars}
  plays: [
    {
      hosts: "all",
      tasks: ${context} => [
${tasks
  .trim()
  .split("\n")
  .map((line) => `        ${line}`)
  .join("\n")}
      ],
    },
  ],
});
`;
}

/** The tasks in a playbook from `playbookOf`, with their line number; undefined for any other text. */
export function tasksOf(text: string): string | undefined {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.includes("tasks: ("));
  const end = lines.findIndex((line) => line === "      ],");
  if (start === -1 || end === -1) return undefined;
  const tasks = lines.slice(start + 1, end).map((line) => line.trim());
  return [`// site.ts, line ${start + 2}`, ...tasks].join("\n");
}
