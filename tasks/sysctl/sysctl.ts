import {
  absent,
  file,
  knownAfterApply,
  mayRefuse,
  peek,
  refuse,
  type Refusal,
  type Step,
  task,
  z,
} from "../../src/authoring.ts";
import {
  type LaterSysctl,
  laterSysctl,
  ownSysctlFile,
  ownSysctlText,
  sysctlPath,
  sysctlValue,
} from "../../src/facts/catalogue.ts";

const expected = 'a kernel parameter, like "vm.swappiness" or "net/ipv4/conf/eth0.100/forwarding"';
const key = z
  .string({ error: expected })
  .regex(/^[\w-]+([./][\w:@.*-]+)+$/, expected)
  .refine((text) => !text.split(/[./]/).some((part) => part === "" || part === "*"), expected)
  .describe("Name of the parameter; with slashes if a part of it contains dots");

const params = z.union([
  z.strictObject({
    key,
    state: z.literal("present").default("present").describe("The parameter has this value"),
    value: z
      .union([z.int(), z.string().regex(/^\S(.*\S)?$/)], { error: 'a number or a string on one line, like "10"' })
      .transform((value) => String(value).split(/\s+/).join(" "))
      .describe("Value of the parameter; several spaces between parts count as one"),
    persist: z.boolean({ error: "true or false" }).default(true).describe("Set the parameter at every boot too"),
  }),
  z.strictObject({
    key,
    state: z.literal("absent").describe("Remove furrow's setting for every boot; the running value is kept"),
  }),
]);

/** Sets a kernel parameter now and, by default, at every boot. */
export const sysctl = task({
  name: "sysctl",
  summary: "Set a kernel parameter now and, by default, at every boot",
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
    ...(p.state === "present" && p.persist && { later: mayRefuse(laterSysctl(p.key)) }),
  }))
  .want((p, now) => {
    const { running, folder } = now;
    if (p.state === "absent") return { saved: absent };
    if (running === absent) return noKey(p.key);
    const decimal = inDecimal(p.value);
    if (decimal !== p.value && isDecimal(running)) return notDecimal(p.key, p.value, decimal);
    // An earlier task may remove the file that overrides this value; in that case, the run reads the fact again.
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
    // The file is written last: its date shows when the value was set, even if the run was killed in between.
    return [change.running && setRunning(p.key, p.value), change.folder && folder, change.saved && save];
  });

/** Sets the value. If the kernel changes the value, the step fails before the value is saved for the next boot. */
function setRunning(key: string, value: string): Step {
  const script = String.raw`printf '%s\n' "$2" >"/proc/sys/$1" || exit
v=$(cat "/proc/sys/$1" 2>/dev/null) || exit 0
w=$2; set -f; set -- $v
[ "$*" = "$w" ] || { echo "the kernel set it to $* instead" >&2; exit 1; }`;
  return {
    step: "run",
    label: `set ${key} to ${value}`,
    argv: ["sh", "-c", script, "sh", sysctlPath(key), value],
  };
}

/**
 * Converts a number to decimal, the form in which the kernel shows it. The kernel reads numbers as C does: 0600 is
 * octal and 0x180 is hexadecimal.
 */
function inDecimal(value: string): string {
  return value
    .split(" ")
    .map((word) => {
      const [, sign = "", digits = ""] = /^(-?)(0[0-7]+|0x[0-9a-f]+)$/i.exec(word) ?? [];
      return digits === "" ? word : `${sign}${BigInt(digits.replace(/^0(?=[0-7])/, "0o"))}`;
    })
    .join(" ");
}

/**
 * True if a value is certain to be decimal: it has no leading zeros. The kernel shows a mask such as 0f as it was
 * written.
 */
function isDecimal(value: string): boolean {
  return value.split(" ").every((word) => /^-?(0|[1-9]\d*)$/.test(word));
}

function notDecimal(key: string, value: string, decimal: string): Refusal {
  return refuse({
    code: "not-decimal",
    message: `the kernel shows ${key} in decimal, and reads ${value} as ${decimal}`,
    current: value,
    expected: decimal,
    hint: `Write value: "${decimal}"`,
  });
}

function overruled(key: string, value: string, later: LaterSysctl): Refusal {
  return refuse({
    code: "later-file-wins",
    message: `${later.file} sets ${key} at every boot, after furrow's own file does`,
    current: `${key} = ${later.value} after a boot`,
    expected: `${key} = ${value}`,
    hint: `Remove that line from ${later.file}, or set persist: false`,
  });
}

function noKey(key: string): Refusal {
  return refuse({
    code: "no-parameter",
    message: `this kernel has no parameter ${key}`,
    current: `no /proc/sys/${sysctlPath(key)}`,
    hint: "Check its spelling, or first load the kernel module that provides it",
  });
}
