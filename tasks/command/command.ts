import {
  absent,
  file,
  peek,
  program,
  ran,
  refuse,
  type Refusal,
  shellQuote,
  type StepResult,
  task,
  userCommand,
} from "../../src/authoring.ts";
import { argvOf, params, type Params } from "./params.ts";

/** The output of a command; empty strings and exit code 0 if the command did not have to run. */
export interface CommandOutput {
  /** At most 256 KiB. If the command printed more, reading this property fails with E_OUTPUT. */
  readonly stdout: string;
  /** At most 256 KiB. If the command printed more, reading this property fails with E_OUTPUT. */
  readonly stderr: string;
  readonly exitCode: number;
}

/** Runs a command if its guard says that the command has to run. */
export const command = task({
  name: "command",
  summary: "Run a command, if a path or another command says that it is needed",
  params,
  examples: [
    { command: ["ssh-keygen", "-A"], creates: "/etc/ssh/ssh_host_ed25519_key" },
    {
      command: "virsh pool-define-as images dir --target /srv/images && virsh pool-start images",
      unless: ["virsh", "pool-info", "images"],
      readOnly: true,
    },
    { command: ["sh", "-s"], stdin: "rm -rf /var/cache/app/*\n", always: true, disturbs: ["file:/var/cache/app/**"] },
  ],
  title: (p) => `command ${shown(p)}`,
  cannotPredict: "whether it has to run, if `unless` is not marked `readOnly`; and its side effects",
  disturbs: (p) => p.disturbs ?? ["everything"],
  mayProvide: (p) => p.mayProvide ?? p.disturbs ?? [],
})
  .facts((p) => ({
    ...(typeof p.command !== "string" && { program: program(p.command[0] ?? "") }),
    ...("creates" in p && { creates: file(p.creates) }),
    ...("removes" in p && { removes: file(p.removes) }),
    ...("unless" in p && {
      unless: userCommand({ argv: argvOf(p.unless), cwd: p.cwd, user: p.user }, { readOnly: p.readOnly }),
    }),
    ...("always" in p && { ran: ran(shown(p)) }),
  }))
  .want((p, now) => {
    // An earlier task may install the program, so refuse only if the program is certain to be missing.
    if (peek(now, "program") === absent && mustRun(p, now)) return noProgram(p);
    if ("creates" in p) return { creates: {} };
    if ("removes" in p) return { removes: absent };
    return "unless" in p ? { unless: { exitCode: 0 } } : { ran: true };
  })
  .steps((p) => [
    {
      step: "run",
      argv: argvOf(p.command),
      okExit: p.okExit,
      ...(p.stdin !== undefined && { stdin: p.stdin }),
      ...(p.env !== undefined && { env: p.env }),
      ...(p.cwd !== undefined && { cwd: p.cwd }),
      ...(p.user !== undefined && { user: p.user }),
    },
  ])
  .outputs((_params, _now, results): CommandOutput => {
    const result: StepResult = results?.[0] ?? { stdout: "", stderr: "", exitCode: 0 };
    // These are getters so that a truncated stream throws only if it is read.
    return {
      exitCode: result.exitCode,
      get stdout() {
        return result.stdout;
      },
      get stderr() {
        return result.stderr;
      },
    };
  });

interface Guards {
  readonly creates?: unknown;
  readonly removes?: unknown;
  readonly unless?: { readonly exitCode: number };
}

function mustRun(p: Params, now: Guards): boolean {
  if ("creates" in p) return now.creates === absent;
  if ("removes" in p) return now.removes !== absent;
  return "always" in p || now.unless?.exitCode !== 0;
}

function shown({ command: given }: Params): string {
  const line = typeof given === "string" ? given.trim() : given.map(shellQuote).join(" ");
  const [first = ""] = line.split("\n");
  return first.length > 60 || first !== line ? `${first.slice(0, 60)}…` : first;
}

function noProgram({ command: given }: Params): Refusal {
  const name = argvOf(given)[0] ?? "";
  return refuse({
    code: "no-program",
    message: name.includes("/")
      ? `${name} is not a program on the host`
      : `"${name}" is not in any directory of the host's PATH`,
    hint: "Install the package that provides it in an earlier task, or correct the name",
  });
}
