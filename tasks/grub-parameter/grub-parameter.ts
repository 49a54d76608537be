import {
  absent,
  file,
  knownAfterApply,
  mayRefuse,
  peek,
  type Refusal,
  refuse,
  type Step,
  task,
  z,
} from "../../src/authoring.ts";
import { contentRead } from "../file/content-read.ts";
import { type OddLine, type Variable, withWords } from "./defaults.ts";
import { type GrubEntries, grubEntries } from "./entries.ts";
import { overruling, type Overruling } from "./later-lines.ts";

const example = 'a value without spaces and quotes, like "on" or "ttyS0,115200"';
const value = z.union([z.int(), z.string().regex(/^[\w.,:=+%@/~!*^[\]-]+$/, example)], { error: example });

const place = {
  name: z
    .string({ error: 'the name of a kernel parameter, like "intel_iommu"' })
    .regex(/^[A-Za-z0-9][\w.-]*$/, 'the name of a kernel parameter, like "intel_iommu"')
    .refine(
      (name) => !/^(root|ro|rw|initrd|BOOT_IMAGE)$/.test(name),
      "a parameter that grub-mkconfig does not set itself",
    )
    .describe("Name of the parameter; `-` and `_` mean the same"),
};

const params = z.union([
  z.strictObject({
    ...place,
    state: z.literal("present").default("present").describe("Every entry has the parameter with exactly these values"),
    value: z
      .union([value, z.array(value).min(1, "at least one value")], { error: `${example}, or a list of these` })
      .optional()
      .describe("Value of the parameter; if left out, the parameter has no value; a list repeats the parameter"),
    entries: z
      .enum(["all", "normal"], { error: '"all" or "normal"' })
      .default("all")
      .describe("`normal` leaves out the recovery entries: GRUB_CMDLINE_LINUX_DEFAULT instead of GRUB_CMDLINE_LINUX"),
  }),
  z.strictObject({
    ...place,
    state: z
      .literal("absent")
      .describe("No entry has the parameter; recovery entries keep the words of GRUB_CMDLINE_LINUX_RECOVERY"),
  }),
]);

type Params = z.output<typeof params>;

/** Sets a kernel parameter exactly once in each of GRUB's entries, or removes it from all of them. */
export const grubParameter = task({
  name: "grubParameter",
  summary: "Set a kernel parameter in GRUB's entries for all later boots, or remove it",
  params,
  examples: [
    { name: "intel_iommu", value: "on" },
    { name: "console", value: ["tty0", "ttyS0,115200"] },
    { name: "quiet", entries: "normal" },
    { name: "nomodeset", state: "absent" },
  ],
  title: (p) => `grubParameter ${p.state === "absent" ? p.name : wordsOf(p).join(" ")}`,
  disturbs: () => ["grubParameter:**", "file:/boot/**"],
  keeps: (p) => [
    {
      id: `grubParameter:${p.name.replaceAll("-", "_")}`,
      name: `the kernel parameter ${p.name}`,
      as: { words: wordsOf(p), variable: variableOf(p) },
    },
  ],
})
  .facts((p) => ({
    defaults: mayRefuse(file(defaultsPath, ["text"]), ["text"]),
    grub: mayRefuse(grubEntries({ name: p.name, words: wordsOf(p), variable: variableOf(p) }), [
      "program",
      "later",
      "entries",
    ]),
  }))
  .want((p, { defaults, grub }) => {
    if (grub.program === "bls") return entryFiles(p);
    if (grub.program === "none" || defaults === absent || grub.entries === 0) return noGrub(grub);
    const line = overruling(p.name, variableOf(p), grub.later);
    if (line !== undefined) return overruled(p, line);
    const text = withWords(defaults.text ?? "", p.name, wordsOf(p), variableOf(p));
    if (typeof text !== "string") return odd(text);
    return { defaults: { type: "file", text }, grub: { right: true } };
  })
  .steps((_p, { change, now, want }) => {
    const text = (want.defaults as { readonly text?: string } | undefined)?.text ?? "";
    const write: Step = {
      step: "writeFile",
      path: defaultsPath,
      text,
      // An error in this file would break every later run of grub-mkconfig, such as those after kernel upgrades.
      validate: ["sh", "-n", "%s"],
      replaces: contentRead(now.defaults),
    };
    return [change.defaults && write, update(now.grub)];
  })
  .notes((p, now) => {
    const running = peek(now.grub, "running");
    const wanted = wordsOf(p).join(" ");
    if (running === knownAfterApply || running === wanted) return [];
    const shown = running === "" ? `does not have ${p.name}` : `has ${running}`;
    return [`the running kernel ${shown}; the entries take effect at the next boot`];
  });

const defaultsPath = "/etc/default/grub";

function wordsOf(p: Params): readonly string[] {
  if (p.state === "absent") return [];
  if (p.value === undefined) return [p.name];
  const values = Array.isArray(p.value) ? p.value : [p.value];
  return values.map((one) => `${p.name}=${one}`);
}

function variableOf(p: Params): Variable {
  return p.state === "present" && p.entries === "normal" ? "GRUB_CMDLINE_LINUX_DEFAULT" : "GRUB_CMDLINE_LINUX";
}

function update({ program, config }: GrubEntries): Step {
  const words = program === "update-grub" ? ["update-grub"] : ["grub2-mkconfig", "-o", config];
  return {
    step: "run",
    label: words.join(" "),
    argv: ["sh", "-c", 'PATH=$PATH:/usr/sbin:/sbin; exec "$@"', "sh", ...words],
  };
}

function noGrub({ program, config, entries }: GrubEntries): Refusal {
  return refuse({
    code: "no-grub",
    message: "this host does not boot its kernels from GRUB's configuration",
    current:
      program === "none"
        ? `no ${config === "" ? "update-grub or grub2-mkconfig" : `${config} or ${defaultsPath}`}`
        : `${entries} entries in ${config}`,
    expected: `${defaultsPath}, and entries in GRUB's configuration`,
    hint: "Set the parameter where this host's boot loader is configured",
  });
}

/**
 * On hosts of the Red Hat family since release 8, grub2-mkconfig does not change the entries, and kernels that are
 * installed later get their parameters from elsewhere, depending on the release (grubby(8)).
 */
function entryFiles(p: Params): Refusal {
  const flag = p.state === "absent" ? `--remove-args=${p.name}` : `--args="${wordsOf(p).join(" ")}"`;
  return refuse({
    code: "boot-loader-entries",
    message: "this host has its boot entries in separate files, which furrow does not change",
    current: "files in /boot/loader/entries (GRUB_ENABLE_BLSCFG)",
    expected: "entries in GRUB's configuration",
    hint: `Run grubby --update-kernel=ALL ${flag} on the host, for example with the command task`,
  });
}

function overruled(p: Params, { file, line, how, variable }: Overruling): Refusal {
  const expected = {
    replaces: `no other line that sets ${variable}`,
    names: `no other line that sets ${p.name}`,
    unclear: `plain text in quotes, like ${variable}="$${variable} quiet"`,
  };
  const message = {
    replaces: `${file} overrides ${variable}, so its value in ${defaultsPath} has no effect`,
    names: `${file} sets ${p.name} too, and GRUB reads it after ${defaultsPath}`,
    unclear: `${file} may set ${p.name} too, because it sets ${variable} to text that only a shell can read`,
  };
  const hint = {
    replaces: `Change that line to ${variable}="$${variable} …", so that it adds to the variable`,
    names: `Remove ${p.name} from that line, for example with the file task; this task then decides about it`,
    unclear: "Write that line as plain text in quotes",
  };
  return refuse({
    code: "later-file-wins",
    message: message[how],
    current: line,
    expected: expected[how],
    hint: hint[how],
  });
}

function odd({ number, line, why }: OddLine): Refusal {
  return refuse({
    code: "not-understood",
    message: `line ${number} of ${defaultsPath} cannot be edited safely: ${why}`,
    current: line,
    expected: 'assignments on one line, like GRUB_CMDLINE_LINUX="quiet"',
    hint: `Correct line ${number} by hand`,
  });
}
