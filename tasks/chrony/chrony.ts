import { absent, file, mayRefuse, peek, knownAfterApply, refuse, type Refusal, task, z } from "../../src/authoring.ts";
import { contentRead } from "../file/content-read.ts";
import { configPaths, includesIn, withLines } from "./config.ts";

const source = () =>
  z
    .string({ error: "a name or an address, like ntp-1.example.org" })
    .regex(/^[A-Za-z0-9:][\w.:-]*$/, "a name or an address, like ntp-1.example.org");

const params = z
  .strictObject({
    servers: z.array(source()).default([]).describe("Time servers, each a name or an address"),
    pools: z.array(source()).default([]).describe("Names that resolve to several time servers"),
    allow: z
      .array(z.string().regex(/^[0-9A-Fa-f:.]+(\/\d{1,3})?$/, "a subnet or an address, like 192.168.10.0/24"))
      .default([])
      .describe("Subnets whose machines may ask this host for the time"),
    makestep: z
      .strictObject({
        seconds: z.number().positive().describe("An offset larger than this is corrected at once"),
        updates: z
          .int()
          .min(-1)
          .describe("Number of clock updates that this applies to, counted from chronyd's start; -1: always"),
      })
      .default({ seconds: 1, updates: 3 })
      .describe("When the clock is set at once instead of gradually"),
  })
  .refine(({ servers, pools }) => servers.length + pools.length > 0, {
    path: ["servers"],
    message: "at least one server or pool",
  });

type Params = z.output<typeof params>;

/**
 * Manages the sources, the clients and makestep in chronyd's configuration; other directives are left alone. To start
 * chronyd, use `service`, and list this task in its `restartOn` to restart chronyd after changes. `chronySync` waits
 * until the clock is synchronized.
 */
export const chrony = task({
  name: "chrony",
  summary:
    "Configure chronyd's time servers, pools and clients; service restarts chronyd, and chronySync waits for the clock",
  params,
  examples: [
    { pools: ["2.pool.ntp.org"] },
    { servers: ["192.168.10.1", "192.168.10.2"], allow: ["10.20.0.0/16"], makestep: { seconds: 1, updates: -1 } },
  ],
  title: (p) => `chrony ${[...p.servers, ...p.pools].join(" ")}`,
})
  .facts(() => ({ configs: configPaths.map((path) => mayRefuse(file(path, ["text"]), ["text"])) }))
  .want((p, { configs }) => {
    const at = placeOf(configs);
    if (at === undefined) return none();
    const text = contentRead(configs[at]) ?? "";
    return {
      configs: configs.map((_, index) =>
        index === at ? { type: "file" as const, text: withLines(text, linesOf(p)) } : undefined,
      ),
    };
  })
  .steps((p, { change, now: { configs } }) => {
    const at = placeOf(configs);
    const path = configPaths[at ?? 0] ?? configPaths[0];
    const before = at === undefined ? null : contentRead(configs[at]);
    return [
      change.configs?.some(Boolean) === true && {
        step: "writeFile",
        path,
        text: withLines(before ?? "", linesOf(p)),
        // Versions before 4.0 cannot check a file.
        validate: [
          "sh",
          "-c",
          'PATH=$PATH:/usr/sbin:/sbin; if chronyd -h 2>&1 | grep -q "^ *-p"; then chronyd -p -f "$1" >/dev/null; fi',
          "sh",
          "%s",
        ],
        replaces: before,
      },
    ];
  })
  .notes((_p, { configs }) => {
    const at = placeOf(configs);
    const text = at === undefined ? undefined : peek(configs[at] as { readonly text?: string }, "text");
    if (typeof text !== "string" || (text as unknown) === knownAfterApply) return [];
    return includesIn(text).map((line) => `chronyd also reads the files that this line includes: ${line}`);
  });

/**
 * Returns the index of the configuration file that exists. If both exist, chronyd reads the first one: only Debian
 * creates that file, and Debian's chronyd reads it.
 */
function placeOf(configs: readonly unknown[]): number | undefined {
  const at = configs.findIndex((one) => one !== absent);
  return at < 0 ? undefined : at;
}

function linesOf({ servers, pools, allow, makestep }: Params): readonly string[] {
  return [
    ...servers.map((name) => `server ${name} iburst`),
    ...pools.map((name) => `pool ${name} iburst`),
    ...allow.map((subnet) => `allow ${subnet}`),
    `makestep ${makestep.seconds} ${makestep.updates}`,
  ];
}

function none(): Refusal {
  return refuse({
    code: "no-chrony",
    message: "the host has no chronyd configuration file",
    current: `neither ${configPaths.join(" nor ")}`,
    expected: "one of them, as installed by the chrony package",
    hint: "Install the chrony package first",
    missing: `file:${configPaths[0]}`,
  });
}
