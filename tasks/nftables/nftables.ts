import {
  absent,
  absolutePath,
  file,
  knownAfterApply,
  mayRefuse,
  onlyRead,
  peek,
  program,
  refuse,
  type Refusal,
  type Step,
  task,
  z,
} from "../../src/authoring.ts";
import { acceptance, nftNotes, nftSourceHash, nftTable } from "../../src/facts/catalogue.ts";
import { contentRead } from "../file/content-read.ts";
import { notAccepted } from "../file/accepted.ts";
import { addsElements, problemOfRules, sourceOf } from "./rules.ts";

const place = {
  table: z
    .string({ error: 'the name of a table, like "furrow"' })
    .regex(/^[A-Za-z_][\w.-]*$/, 'the name of a table, like "furrow"')
    .describe("Name of the table; furrow owns it, and touches no other table"),
  family: z
    .enum(["inet", "ip", "ip6", "arp", "bridge", "netdev"], {
      error: '"inet", "ip", "ip6", "arp", "bridge" or "netdev"',
    })
    .default("inet")
    .describe("Family of the table; inet is IPv4 and IPv6"),
};

const params = z.union([
  z.strictObject({
    ...place,
    state: z.literal("present").default("present").describe("The table is loaded with these rules"),
    rules: z
      .string({ error: "the content of a table: chains, sets, rules" })
      .superRefine((text, context) => {
        const message = problemOfRules(text);
        if (message !== undefined) context.addIssue({ code: "custom", message });
      })
      .describe("Content of the table, in nft(8) syntax"),
    persist: z
      .boolean({ error: "true or false" })
      .default(true)
      .describe("Load the table at every boot too, through the host's nftables.service, which must be enabled"),
    main: absolutePath()
      .default("/etc/nftables.conf")
      .describe("File that nftables.service loads; /etc/sysconfig/nftables.conf on Red Hat"),
  }),
  z.strictObject({ ...place, state: z.literal("absent").describe("The table does not exist, now or at boot") }),
]);

type Params = z.output<typeof params>;
type Present = Extract<Params, { state: "present" }>;

const folder = "/etc/nftables.d";
const include = `include "${folder}/furrow-*.nft"`;

/** Loads one packet filter table, now and at every boot; never touches other tables. */
export const nftables = task({
  name: "nftables",
  summary: "Load one packet filter table with these rules, now and at every boot; no other table is touched",
  params,
  examples: [
    {
      table: "furrow",
      rules:
        "chain input {\n  type filter hook input priority filter; policy accept;\n  tcp dport 6443 ip saddr != 10.0.0.0/8 drop\n}",
    },
    { table: "furrow", state: "absent" },
  ],
  title: (p) => `nftables ${p.family} ${p.table}`,
  disturbs: () => ["nftTable:**"],
})
  .facts((p) => ({
    table: nftTable(p.family, p.table, p.state === "present" && addsElements(p.rules)),
    program: p.state === "present" ? mayRefuse(onlyRead(program("nft")), []) : onlyRead(program("nft")),
    file: file(savedPath(p), ["sha256"]),
    ...(p.state === "present" && p.persist && { folder: file(folder), main: file(p.main, ["text"]) }),
  }))
  .facts((p, now) => {
    const table = peek(now, "table");
    if (p.state === "absent" || table === knownAfterApply || isLoaded(p, table)) return {};
    return {
      accepted: acceptance({ argv: check.argv, text: sourceOf(p.family, p.table, p.rules), path: savedPath(p) }),
    };
  })
  .want((p, now) => {
    if (p.state === "absent") return { table: absent, file: absent };
    if (peek(now, "program") === absent) return noNft();
    const wrong = notAccepted(savedPath(p), check.argv, now.accepted);
    if (wrong) return wrong;
    const source = sourceOf(p.family, p.table, p.rules);
    const table = { loaded: nftSourceHash(source) };
    if (!p.persist) return { table };
    const { main } = now;
    return {
      table,
      folder: { type: "directory" },
      file: { type: "file", text: source },
      main: { type: "file", text: withInclude(main === absent ? undefined : main?.text) },
    };
  })
  .steps((p, { change, now }) => {
    if (p.state === "absent") {
      return [change.file && { step: "remove", path: savedPath(p), recursive: false }, change.table && unload(p)];
    }
    const source = sourceOf(p.family, p.table, p.rules);
    const main = now.main === absent ? undefined : now.main?.text;
    return [
      // A file with a mistake would prevent the host from loading any table at its next boot.
      { ...check, stdin: source },
      change.folder && { step: "makeDirectory", path: folder, parents: false, mode: "0755" },
      change.file && { step: "writeFile", path: savedPath(p), text: source, mode: "0644" },
      change.main && { step: "writeFile", path: p.main, text: withInclude(main), replaces: contentRead(now.main) },
      change.table && load(p, source),
    ];
  });

const check = { step: "run", label: "check the rules", argv: ["nft", "-c", "-f", "-"] } satisfies Step;

/** True if the host has loaded the table with these rules; also true if that depends on an earlier task. */
function isLoaded(p: Present, table: unknown): boolean {
  const hash = nftSourceHash(sourceOf(p.family, p.table, p.rules));
  return (
    typeof table === "object" &&
    table !== null &&
    "loaded" in table &&
    (table.loaded === hash || table.loaded === knownAfterApply)
  );
}

function savedPath(p: Params): string {
  return `${folder}/furrow-${p.family}-${p.table}.nft`;
}

/**
 * Returns the host's own file with a line at the end that includes furrow's file, so that this line comes after any
 * `flush ruleset` in the host's file.
 */
function withInclude(text: string | undefined): string {
  if (text === undefined) return `#!/usr/sbin/nft -f\n\n${include}\n`;
  const isThere = text.split("\n").some((line) => line.trim() === include);
  return isThere ? text : `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${include}\n`;
}

const loadScript = `family=$1 table=$2 dir=$3 source=$4 terse=$5
nft -f - || exit
listed=$(nft -s $terse list table "$family" "$table") || exit
hash=$(printf '%s\\n' "$listed" | sha256sum)
mkdir -p -- "$dir" && echo "\${hash%% *} $source" >"$dir/.$family-$table.part" &&
mv -f -- "$dir/.$family-$table.part" "$dir/$family-$table"`;

/** Loads the table, then records the table's source and the form in which nft lists it. */
function load(p: Present, source: string): Step {
  const words = [p.family, p.table, nftNotes, nftSourceHash(source), addsElements(p.rules) ? "-t" : ""];
  return {
    step: "run",
    label: `load table ${p.family} ${p.table}`,
    argv: ["sh", "-c", loadScript, "sh", ...words],
    stdin: source,
  };
}

function unload(p: Params): Step {
  return {
    step: "run",
    label: `delete table ${p.family} ${p.table}`,
    argv: ["sh", "-c", 'nft delete table "$1" "$2" && rm -f -- "$3/$1-$2"', "sh", p.family, p.table, nftNotes],
  };
}

function noNft(): Refusal {
  return refuse({
    code: "no-nft",
    message: "this host has no nft",
    hint: 'Put package({ name: "nftables" }) before this task',
  });
}
