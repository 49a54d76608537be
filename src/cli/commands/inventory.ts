import { defineCommand } from "../words/command.ts";
import { FurrowError } from "../../core/errors.ts";
import { closest } from "../../core/closest.ts";
import type { MergedHost, Settings } from "../../load/vars/precedence.ts";
import { paintFor } from "../../report/text/colours.ts";
import { usage, withRepeated } from "../words/arguments.ts";
import { flagsOf } from "../words/flags.ts";
import { type HostBook, openHostBook } from "../hosts.ts";
import { graphText } from "../inventory/graph.ts";
import { hostText } from "../inventory/host-text.ts";
import { overviewText } from "../inventory/overview.ts";
import { shownValue } from "../inventory/shown.ts";
import { print, printJson, wantsColor } from "../terminal.ts";

/** The `furrow inventory` command. */
export const command = defineCommand({
  args: flagsOf.inventory,
  async run({ args, data }) {
    checkForms(args);
    const book = await openHostBook(withRepeated(args, data), data.vars, new AbortController().signal);
    const hosts = args.host === undefined ? book.limited("all") : [oneHost(args.host, book)];
    const paint = paintFor(wantsColor(process.stdout));
    if (args.format !== undefined) printJson(await ansibleForm(hosts, book), 4);
    else if (args.graph) print(graphText(hosts, book, paint));
    else if (args.json) {
      const { leftOut } = book.inventory;
      printJson({ schema: 1, hosts: hosts.map((host) => jsonHost(host, book)), leftOut });
    } else if (args.host === undefined) print(overviewText(hosts, book, paint));
    else for (const host of hosts) print(hostText(host, effective(host, book), paint));
    return 0;
  },
});

function checkForms(args: {
  readonly host?: string | undefined;
  readonly list?: boolean | undefined;
  readonly graph?: boolean | undefined;
  readonly format?: string | undefined;
  readonly json?: boolean | undefined;
}): void {
  const { host, list = false, graph = false, format, json = false } = args;
  const forms = [host !== undefined && "--host", list && "--list", graph && "--graph"].filter((form) => form !== false);
  if (forms.length > 1) throw usage("inventory", `${forms.join(" and ")} cannot be combined`, "Give only one of them");
  if (graph && json) throw usage("inventory", "--graph has no JSON output", "Leave out --graph");
  if (format !== undefined && format !== "ansible") {
    throw usage("inventory", `unknown format "${format}"`, "Write --format ansible, or --json for furrow's own format");
  }
  if (format !== undefined && (graph || host !== undefined)) {
    throw usage("inventory", `--format and ${forms.join(" ")} cannot be combined`, "Give --format with --list");
  }
}

async function ansibleForm(hosts: readonly MergedHost[], book: HostBook): Promise<object> {
  const { ansibleList } = await import("../inventory/ansible.ts");
  return ansibleList(hosts, book);
}

function oneHost(name: string, book: HostBook): MergedHost {
  if (book.has(name)) return book.merged(name);
  const near = closest(name, book.scope.hosts);
  throw new FurrowError("E_PATTERN", {
    what: `the inventory ${book.inventory.label} has no host "${name}"`,
    hint: near === undefined ? "Run furrow inventory without --host to see all hosts" : `Write "${near}"`,
  });
}

/** A host's connection settings: those that are set explicitly, and those that come from ssh_config or a default. */
function effective(host: MergedHost, book: HostBook): Settings {
  const { transport, address, port, user, hostKeyPolicy, jump } = book.address(host.name);
  const filled: Record<string, unknown> = {
    transport,
    address,
    ...((transport === "ssh" || transport === "openssh") && { port, user, hostKeyPolicy }),
    ...(jump.length > 0 && { proxyJump: jump.map((hop) => `${hop.user}@${hop.address}:${hop.port}`).join(",") }),
  };
  const missing = Object.entries(filled).filter(([key]) => !(key in host.connection));
  return {
    ...host.connection,
    ...Object.fromEntries(missing.map(([key, value]) => [key, { value, origin: "ssh_config or default" }])),
  };
}

function jsonHost(host: MergedHost, book: HostBook): object {
  const plain = (settings: Settings): object =>
    Object.fromEntries(
      Object.entries(settings).map(([key, { value, origin }]) => [key, { value: shownValue(key, value), origin }]),
    );
  const { vars, groups, name } = host;
  return { name, groups, vars: plain(vars), connection: plain(effective(host, book)) };
}
