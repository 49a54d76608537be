import {
  type Absent,
  absent,
  file,
  mayRefuse,
  onlyRead,
  peek,
  program,
  ran,
  refuse,
  type Refusal,
  shellQuote,
  type StepResult,
  task,
  user,
  type UserState,
  userCommand,
} from "../../src/authoring.ts";
import {
  behindLinks,
  type DirectoryObstacle,
  directoryObstacle,
  holderOf,
  missingDirectory,
  type NumberHolder,
  obstacleText,
} from "../../src/facts/catalogue.ts";
import { argvOf, isReader, params, type Params } from "./params.ts";

type Account = Absent | UserState | NumberHolder;

/** The output of a command; empty strings and exit code 0 if the command did not have to run. */
export interface CommandOutput {
  /** At most 256 KiB. If the command printed more, reading this property fails with E_OUTPUT. */
  readonly stdout: string;
  /** At most 256 KiB. If the command printed more, reading this property fails with E_OUTPUT. */
  readonly stderr: string;
  readonly exitCode: number;
}

/** Runs a command if its guard shows that it is needed. */
export const command = task({
  name: "command",
  summary: "Run a command if a path or another command shows that it is needed",
  params,
  examples: [
    { command: ["ssh-keygen", "-A"], creates: "/etc/ssh/ssh_host_ed25519_key" },
    {
      command: "virsh pool-define-as images dir --target /srv/images && virsh pool-start images",
      unless: ["virsh", "pool-info", "images"],
      readOnly: true,
    },
    { command: ["uname", "-r"], readOnly: true },
    { command: ["k3s", "token", "create"], secret: true, always: true, disturbs: [] },
    { command: ["sh", "-s"], stdin: "rm -rf /var/cache/app/*\n", always: true, disturbs: ["file:/var/cache/app/**"] },
  ],
  title: (p) => `command ${shown(p)}`,
  cannotPredict:
    "whether it has to run, if `unless` is not marked `readOnly` or an earlier task would change what `unless` reads; its side effects; and, after such a change, the output of a command marked `readOnly`",
  disturbs: (p) => ("disturbs" in p ? p.disturbs : undefined) ?? (isReader(p) ? [] : ["everything"]),
  // The playbook declares which facts the command changes, but not whether the command only adds what is missing.
  mayAlter: (p) => ("disturbs" in p && p.mayProvide === undefined ? (p.disturbs ?? []) : []),
  mayProvide: (p) => ("disturbs" in p || "mayProvide" in p ? (p.mayProvide ?? p.disturbs ?? []) : []),
  readsOnly: isReader,
  reads: (p) => ("reads" in p ? p.reads : undefined),
  secretOutput: (p) => p.secret,
})
  .facts((p) => ({
    ...(typeof p.command !== "string" && { program: mayRefuse(onlyRead(program(p.command[0] ?? "")), []) }),
    ...(p.user !== undefined &&
      p.user !== "root" && {
        user: mayRefuse(onlyRead<Account>(/^\d+$/.test(p.user) ? holderOf("user", Number(p.user)) : user(p.user)), []),
      }),
    ...(p.cwd !== undefined && { cwd: mayRefuse(onlyRead(file(p.cwd)), ["type"]) }),
    ...("creates" in p && { creates: file(p.creates) }),
    ...("removes" in p && { removes: file(p.removes) }),
    ...("unless" in p && {
      unless: userCommand(
        { argv: argvOf(p.unless), cwd: p.cwd, user: p.user },
        { readOnly: p.readOnly, reads: p.reads },
      ),
    }),
    ...(("always" in p || isReader(p)) && { ran: ran(shown(p)) }),
  }))
  .facts((p, now) => (p.cwd === undefined ? {} : behindLinks([p.cwd], [peek(now, "cwd")])))
  .want((p, now) => {
    // A user who does not exist cannot run `unless` either.
    if (p.user !== undefined && peek(now, "user") === absent && ("unless" in p || mustRun(p, now)))
      return noUser(p.user);
    if (peek(now, "program") === absent && mustRun(p, now)) return noProgram(p);
    const wrong = p.cwd === undefined ? undefined : directoryObstacle([p.cwd], [peek(now, "cwd")], now.behind);
    if (wrong && ("unless" in p || mustRun(p, now))) return noCwd(wrong);
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
  return "always" in p || isReader(p) || now.unless?.exitCode !== 0;
}

function shown({ command: given }: Params): string {
  const line = typeof given === "string" ? given.trim() : given.map(shellQuote).join(" ");
  const [first = ""] = line.split("\n");
  return first.length > 60 || first !== line ? `${first.slice(0, 60)}…` : first;
}

function noUser(name: string): Refusal {
  return refuse({
    code: "no-user",
    message: `the host has no user ${name}`,
    missing: `user:${name}`,
    hint: `Put user({ name: "${name}" }) before this task`,
  });
}

function noCwd(obstacle: DirectoryObstacle): Refusal {
  const missing = missingDirectory(obstacle);
  return refuse({
    code: "no-cwd",
    message: `the command cannot start in its working directory: ${obstacleText(obstacle)}`,
    ...(missing === undefined
      ? { hint: "Correct the path, or create the directory before this task" }
      : {
          hint: `Put file({ path: "${missing}", state: "directory" }) before this task`,
          missing: `file:${missing}`,
        }),
  });
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
