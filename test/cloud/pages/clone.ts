import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Block } from "../../../scripts/docs/blocks.ts";
import { emptyProject, root } from "../../../scripts/docs/pages.ts";

/** A command of a block, and its result. */
export interface Ran {
  readonly command: string;
  readonly code: number | null;
  /** The command's output on stdout and stderr. */
  readonly output: string;
}

/** What a user types when a question appears. */
export interface Answer {
  readonly question: RegExp;
  readonly answer: string;
}

/** Options for running the commands of a block. */
export interface HowToRun {
  readonly answers?: readonly Answer[];
  readonly before?: (command: string) => Promise<void>;
}

/**
 * Stands in for `npx furrow` and runs furrow from source. Deployments also get the inventory LAB_SIZE, so that the
 * cluster fits a lab host; for the deployment playbook, `run` is replaced by the command in DEPLOY, because only one
 * cluster is deployed.
 */
const npx = `#!/bin/bash
[ "$1" = furrow ] || exit 127
shift
words=("$@")
if [[ "$2" == playbooks/harvester.ts && ( "$1" == run || "$1" == check ) ]]; then
  [ "$1" = run ] && words[0]=$DEPLOY
  words+=(-i "$LAB_SIZE" --json)
fi
exec "$NODE" "$FURROW" "\${words[@]}"
`;

/** An `ssh` command that reads the user's key and known hosts from HOME, and accepts new host keys without asking. */
const ssh = `#!/bin/sh
exec /usr/bin/ssh -o UserKnownHostsFile="$HOME/.ssh/known_hosts" -o StrictHostKeyChecking=accept-new \\
  -o IdentityFile="$HOME/.ssh/id_ed25519" -o IdentitiesOnly=yes "$@"
`;

const tool = (name: string): string =>
  `#!/bin/sh\nexec "$NODE" '${join(import.meta.dirname, "stand-in-tools.ts")}' ${name} "$@"\n`;

/** A folder like a clone of furrow, with a home directory, in which the commands of a page run. */
export class Clone {
  readonly folder = emptyProject();
  readonly home = join(this.folder, "home");
  /** Added to the environment of every command. */
  readonly env: Record<string, string> = {};
  /** What the page's placeholders stand for. */
  readonly placeholders: [placeholder: string, value: string][] = [];

  constructor() {
    for (const name of ["playbooks", "inventory", "roles", "tasks", "src"])
      symlinkSync(join(root, name), join(this.folder, name));
    mkdirSync(join(this.folder, "bin"));
    mkdirSync(join(this.home, ".ssh"), { recursive: true, mode: 0o700 });
    const programs = { npx, ssh, az: tool("az"), gcloud: tool("gcloud") };
    for (const [name, text] of Object.entries(programs)) {
      writeFileSync(join(this.folder, "bin", name), text);
      chmodSync(join(this.folder, "bin", name), 0o755);
    }
  }

  /** Creates the user's own key, with which the commands log in. */
  login(identityFile: string): void {
    for (const [suffix, mode] of [
      ["", 0o600],
      [".pub", 0o644],
    ] as const) {
      const text = readFileSync(`${identityFile}${suffix}`);
      writeFileSync(join(this.home, `.ssh/id_ed25519${suffix}`), text, { mode });
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The text with its placeholders replaced. */
  filled(text: string): string {
    let filled = text;
    for (const [placeholder, value] of this.placeholders) filled = filled.replaceAll(placeholder, value);
    return filled;
  }

  /** Writes the file that a block shows. */
  write({ name, text }: Block): void {
    if (name === undefined) throw new Error("the block has no name");
    writeFileSync(join(this.folder, name), this.filled(text));
  }

  /** Writes the playbook that a block shows, and runs it on this machine. */
  runFile(block: Block): Promise<readonly Ran[]> {
    this.write(block);
    return this.run({ ...block, text: `npx furrow run ${block.name} -i local\n` });
  }

  /**
   * Runs the commands of a block in order, in one environment; `before` is called before each. Throws at the first one
   * that fails.
   */
  async run({ text }: Block, { answers = [], before }: HowToRun = {}): Promise<readonly Ran[]> {
    const ran: Ran[] = [];
    rmSync(join(this.folder, "kept"), { force: true });
    for (const command of commandsIn(this.filled(text))) {
      await before?.(command);
      const ended = await this.#one(command, answers);
      if (ended.code !== 0) throw new Error(`${command}\n${ended.output.slice(-4000)}`);
      ran.push(ended);
    }
    return ran;
  }

  /** Runs one command on its own terminal. The variables that it sets are kept for the next command. */
  #one(command: string, answers: readonly Answer[]): Promise<Ran> {
    const kept = join(this.folder, "kept");
    const script = join(this.folder, "command");
    writeFileSync(
      script,
      `set -a\n[ -e '${kept}' ] && . '${kept}'\n${command}\nended=$?\nexport -p > '${kept}'\nexit $ended\n`,
    );
    const child = spawn("script", ["-qefc", `bash '${script}'`, "/dev/null"], {
      cwd: this.folder,
      env: {
        PATH: `${join(this.folder, "bin")}:${process.env["PATH"]}`,
        HOME: this.home,
        NODE: process.execPath,
        FURROW: join(root, "bin/furrow.js"),
        LAB_SIZE: join(import.meta.dirname, "lab-inventory.ts"),
        NO_COLOR: "1",
        TERM: "dumb",
        LANG: "C.UTF-8",
        ...this.env,
      },
      stdio: ["pipe", "pipe", "pipe"],
    });
    let output = "";
    const left = [...answers];
    const hear = (part: Buffer): void => {
      output += part.toString();
      const at = left.findIndex(({ question }) => question.test(output));
      if (at >= 0) child.stdin.write(`${left.splice(at, 1)[0]?.answer}\n`);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    return new Promise((settle) => {
      child.on("close", (code) => settle({ command, code, output }));
    });
  }
}

/** The commands of a block: a line that ends in a backslash continues on the next one. */
export function commandsIn(text: string): string[] {
  return text
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "");
}
