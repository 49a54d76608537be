import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { FurrowError } from "../../core/errors.ts";
import { pendingSecrets } from "../../core/secrets/secret.ts";
import { defOf, isSecretAt } from "../../core/secrets/secret-schema.ts";
import { runPlaybook } from "../../engine/run/run.ts";
import { disks, file } from "../../facts/catalogue.ts";
import { everyTask } from "../../field/every-task.ts";
import { Recorder } from "../../field/recorder.ts";
import type { Gathered } from "../../field/report.ts";
import type { LoadedPlaybook } from "../../load/playbook/playbook-file.ts";
import { declaredVars } from "../../load/vars/check-vars.ts";
import { type MergedHost, valuesOf } from "../../load/vars/precedence.ts";
import { settleQuietSecrets, settleSecrets } from "../../load/vars/secrets.ts";
import type { HostFlags } from "../hosts.ts";
import { warn } from "../terminal.ts";
import { ownVersion } from "../version.ts";
import { usage } from "../words/arguments.ts";
import { refuseUnknownKeys } from "../words/unknown-keys.ts";
import { prepareRun } from "./request.ts";
import { stopSignals } from "./signals.ts";
import { settingsOf, unusedSecrets } from "./unused-secrets.ts";

/** The possible subjects of a report: the names of playbooks in playbooks/. */
const subjects = ["harvester"];

/** The facts that a report contains in addition to those that the tasks need. */
const more = {
  disks: disks(),
  efi: file("/sys/firmware/efi"),
  nestedIntel: file("/sys/module/kvm_intel/parameters/nested", ["text"]),
  nestedAmd: file("/sys/module/kvm_amd/parameters/nested", ["text"]),
};

/**
 * On one host, reads everything that a playbook depends on. Performs no steps and does not connect to other hosts.
 * Asks only for the secrets that the connection needs; the other secrets get random values. Throws FurrowError if it
 * cannot start or cannot connect.
 */
export async function gather(
  subject: string,
  host: string,
  flags: HostFlags,
  vars: readonly string[],
): Promise<Gathered> {
  const playbook = playbookOf(subject);
  const signals = stopSignals();
  const recorder = new Recorder();
  const asked = new Set<string>();
  let unused: ReadonlySet<string> = new Set();
  try {
    const { request, hosts, book, loaded } = await prepareRun(
      { ...flags, playbook, limit: host },
      {
        mode: "check",
        vars,
        stop: signals.stop,
        kill: signals.kill,
        leave: signals.leave,
        complete: withSecrets,
        sink: (event) => {
          if (event.type === "taskStarted") settleQuietSecrets({ mode: "check", warn, unused });
        },
      },
    );
    const [one, ...others] = hosts;
    if (one === undefined || others.length > 0) {
      throw new FurrowError("E_PATTERN", {
        what: `a report is about one host, but ${host} matches ${hosts.length}`,
        hint: "Name one host",
      });
    }
    signals.listen();
    unused = unusedSecrets(book, settingsOf(book, [one.name], true));
    giveRandomValues(unused);
    await settleSecrets({ mode: "check", warn, unused });
    await refuseUnknownKeys([book.address(one.name)], signals.stop, undefined);
    const failures: Error[] = [];
    const { remembered: _remembered, ...rest } = request;
    await runPlaybook({
      ...rest,
      playbook: everyTask(loaded.playbook, (id) => asked.add(id), more),
      drivers: recorder.drivers(request.drivers),
      connect: async (wanted) => {
        if (wanted.host.name !== one.name) throw notAsked(wanted.host.name);
        try {
          return recorder.session(await request.connect(wanted));
        } catch (error) {
          if (error instanceof Error) failures.push(error);
          throw error;
        }
      },
    });
    if (signals.stop.aborted) throw new FurrowError("E_INTERRUPTED", { what: "interrupted" });
    if (recorder.facts.size === 0 && failures[0] !== undefined) throw failures[0];
    const { vars: given, groups } = one;
    const { user, address, jump } = book.address(one.name);
    const names = [user, ...jump.flatMap((via) => [via.name, via.address, via.user])];
    const { vars: schema } = loaded.playbook;
    const declared = schema === undefined ? {} : declaredVars(valuesOf(given), schema);
    const secrets = Object.keys(declared).filter((name) => isSecretVar(loaded, name));
    const about = { name: one.name, address, groups };
    return { subject, furrow: ownVersion(), host: about, vars: declared, schema, secrets, recorder, asked, names };
  } finally {
    signals.release();
  }
}

/** Finds the playbook of a subject, in the working directory or in furrow's own folder. Throws FurrowError E_USAGE. */
export function playbookOf(subject: string): string {
  if (!subjects.includes(subject)) {
    throw usage("doctor", `there is no report on "${subject}"`, `Use one of these: ${subjects.join(", ")}`);
  }
  const path = `playbooks/${subject}.ts`;
  const own = fileURLToPath(new URL(`../../../${path}`, import.meta.url));
  if (existsSync(path)) return path;
  if (existsSync(own)) return own;
  throw usage("doctor", `there is no ${resolve(path)}`, "Run the command in a clone of furrow");
}

/**
 * Gives a random value to each required secret that has no value: a host that is not deployed yet needs no real
 * secrets.
 */
function withSecrets(host: MergedHost, loaded: LoadedPlaybook): MergedHost {
  const { vars: schema } = loaded.playbook;
  const shape = schema === undefined ? {} : (defOf(schema).shape ?? {});
  const missing = Object.entries(shape).filter(
    ([name, part]) => host.vars[name] === undefined && isSecretVar(loaded, name) && !part.safeParse(undefined).success,
  );
  const added = missing.map(([name]) => ({ [name]: { value: randomUUID(), origin: "furrow doctor" } }));
  return { ...host, vars: Object.assign({}, host.vars, ...added) as MergedHost["vars"] };
}

function isSecretVar({ playbook: { vars: schema } }: LoadedPlaybook, name: string): boolean {
  return schema !== undefined && isSecretAt(schema, [name]);
}

/**
 * Gives random values to secrets that only the playbook uses and that would be prompted for or are missing from the
 * environment.
 */
function giveRandomValues(unused: ReadonlySet<string>): void {
  for (const { id, source, settle } of pendingSecrets()) {
    const isAsked = source.from === "prompt" || source.from === "vault";
    const isMissing = isAsked || (source.from === "env" && process.env[source.variable] === undefined);
    if (unused.has(id) && isMissing) settle(randomUUID());
  }
}

function notAsked(name: string): FurrowError {
  return new FurrowError("E_UNREACHABLE", {
    what: `a field report is about one host, so ${name} is not queried`,
    hint: "Run furrow check, which also queries that host",
  });
}
