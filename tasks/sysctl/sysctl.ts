import {
  absent,
  file,
  knownAfterApply,
  type LaterSysctl,
  laterSysctl,
  ownSysctlFile,
  ownSysctlText,
  peek,
  refuse,
  type Refusal,
  type Step,
  sysctlPath,
  sysctlValue,
  task,
  z,
} from "../../src/authoring.ts";

const expected = 'a kernel parameter, like "vm.swappiness" or "net/ipv4/conf/eth0.100/forwarding"';
const key = z
  .string({ error: expected })
  .regex(/^[\w-]+([./][\w:@.*-]+)+$/, expected)
  .refine((text) => !text.split(/[./]/).some((part) => part === "" || part === "*"), expected)
  .describe("Name of the parameter; with slashes where a part of it has dots");

const params = z.union([
  z.strictObject({
    key,
    state: z.literal("present").default("present").describe("The parameter has this value"),
    value: z
      .union([z.int(), z.string().regex(/^\S(.*\S)?$/)], { error: 'a number or a text of one line, like "10"' })
      .transform((value) => String(value).split(/\s+/).join(" "))
      .describe("Its value; blanks between parts count as one"),
    persist: z.boolean({ error: "true or false" }).default(true).describe("Set it at every boot too"),
  }),
  z.strictObject({
    key,
    state: z.literal("absent").describe("furrow's setting for every boot goes; the running value stays"),
  }),
]);

/** Sets a kernel parameter now and, unless told otherwise, at every boot. */
export const sysctl = task({
  name: "sysctl",
  summary: "Set a kernel parameter now and, unless told otherwise, at every boot",
  params,
  examples: [
    { key: "vm.swappiness", value: 10 },
    { key: "net.ipv4.ip_forward", value: "1", persist: false },
    { key: "vm.swappiness", state: "absent" },
  ],
  title: (p) => (p.state === "present" ? `sysctl ${p.key} = ${p.value}` : `sysctl ${p.key}`),
  disturbs: () => ["sysctl:**"],
})
  .facts((p) => ({
    running: sysctlValue(p.key),
    saved: file(ownSysctlFile(p.key), ["sha256"]),
    folder: file("/etc/sysctl.d"),
    ...(p.state === "present" && p.persist && { later: laterSysctl(p.key) }),
  }))
  .want((p, now) => {
    const { running, folder } = now;
    if (p.state === "absent") return { saved: absent };
    if (running === absent) return noKey(p.key);
    // An earlier task may take that file away; then the run looks again.
    const later = peek(now, "later") === knownAfterApply ? undefined : now.later;
    if (later !== undefined && later !== absent && later.value !== p.value) return overruled(p.key, p.value, later);
    if (!p.persist) return { running: p.value };
    const parent = folder === absent ? { type: "directory" as const } : undefined;
    return { running: p.value, saved: { type: "file", text: ownSysctlText(p.key, p.value) }, folder: parent };
  })
  .steps((p, { change }) => {
    const path = ownSysctlFile(p.key);
    if (p.state === "absent") return [{ step: "remove", path, recursive: false }];
    const folder: Step = { step: "makeDirectory", path: "/etc/sysctl.d", parents: false, mode: "0755" };
    const save: Step = { step: "writeFile", path, text: ownSysctlText(p.key, p.value), mode: "0644" };
    // The file comes last: its date says when the value was set, also after a run that was killed in between.
    return [change.running && setRunning(p.key, p.value), change.folder && folder, change.saved && save];
  });

function setRunning(key: string, value: string): Step {
  return {
    step: "run",
    label: `set ${key} to ${value}`,
    argv: ["sh", "-c", String.raw`printf '%s\n' "$2" >"/proc/sys/$1"`, "sh", sysctlPath(key), value],
  };
}

function overruled(key: string, value: string, later: LaterSysctl): Refusal {
  return refuse({
    code: "later-file-wins",
    message: `${later.file} sets ${key} at every boot, after the file that furrow keeps for it`,
    current: `${key} = ${later.value} after a boot`,
    expected: `${key} = ${value}`,
    hint: `Remove that line from ${later.file}, or give persist: false`,
  });
}

function noKey(key: string): Refusal {
  return refuse({
    code: "no-parameter",
    message: `this kernel has no parameter ${key}`,
    current: `no /proc/sys/${sysctlPath(key)}`,
    hint: "Check its spelling, or load the kernel module that brings it first",
  });
}
