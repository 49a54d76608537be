import {
  absent,
  absolutePath,
  file,
  knownAfterApply,
  localFile,
  mode,
  mayRefuse,
  onlyRead,
  peek,
  program,
  refuse,
  type Refusal,
  task,
  z,
} from "../../src/authoring.ts";
import { filtered, sealedLocalFile } from "../../src/facts/catalogue.ts";

const params = z
  .strictObject({
    path: absolutePath().describe("Absolute path of the file on the host"),
    to: z
      .string({ error: 'a path on the controller, like "./kubeconfig"' })
      .min(1, 'a path on the controller, like "./kubeconfig"')
      .regex(/^[^\0]*[^/\0]$/, "the path of a file, not of a directory")
      .describe(
        "Path on the controller; a relative path is resolved against furrow's working directory. Its directory is created if missing",
      ),
    through: z
      .array(z.string(), { error: 'a program and its arguments, like ["sed", "s/a/b/"]' })
      .min(1, 'a program and its arguments, like ["sed", "s/a/b/"]')
      .optional()
      .describe("Filter program on the host: it reads the file on stdin, and its stdout becomes the copy"),
    secret: z
      .boolean()
      .default(false)
      .describe(
        "The content is secret: only the owner can read the copy, and neither the content nor the filter's stderr is shown",
      ),
    maxBytes: z
      .int({ error: "a whole number of bytes" })
      .positive("a whole number of bytes above 0")
      .default(4_294_967_296)
      .describe("Maximum size of the copy in bytes, so that no host can fill the controller's disk; default 4 GiB"),
    mode: mode().optional().describe('Octal mode of the copy in quotes; default "0644", or "0600" for a secret'),
  })
  .refine((p) => !p.secret || p.mode === undefined || p.mode.endsWith("00"), {
    path: ["mode"],
    message: 'a mode that gives only the owner access, like "0600", because the content is secret',
  });

type Params = z.output<typeof params>;

/** Copies a file from the host to the controller. */
export const fetch = task({
  name: "fetch",
  summary: "Copy a file from a host to the controller",
  params,
  examples: [
    { path: "/etc/rancher/rke2/rke2.yaml", to: "./harvester.kubeconfig", secret: true },
    { path: "/var/log/cloud-init-output.log", to: "./logs/boot.log" },
    {
      path: "/etc/rancher/k3s/k3s.yaml",
      to: "./k3s.kubeconfig",
      through: ["sed", "s/127.0.0.1/203.0.113.10/"],
      secret: true,
    },
  ],
  title: (p) => `fetch ${p.path} to ${p.to}`,
  disturbs: () => [],
})
  .facts((p) => ({
    path: file(p.path, p.through ? [] : p.secret ? ["sha256"] : ["sha256", "size"], { secret: p.secret && !p.through }),
    ...(p.through && {
      program: mayRefuse(onlyRead(program(p.through[0] ?? "")), []),
      made: filtered(p.path, p.through, { secret: p.secret }),
    }),
    copy: p.secret ? sealedLocalFile(p.to) : localFile(p.to),
  }))
  .want((p, now) => {
    if (peek(now, "path") !== absent && peek(now, "program") === absent) return noProgram(p.through?.[0] ?? "");
    // The content is not known yet, but if the controller has no copy, the run will create one.
    if (peek(now, "path") === knownAfterApply && peek(now, "copy") === absent) {
      return { copy: { [p.secret ? "seal" : "sha256"]: knownAfterApply as unknown as string, mode: modeOf(p) } };
    }
    const { path, made } = now;
    if (path === absent) return noFile(p.path);
    if (path.type !== "file") return noRegularFile(p.path, path.type);
    if (made === absent) return noFile(p.path);
    const size = made === undefined ? peek(path, "size") : undefined;
    if (typeof size === "number" && size > p.maxBytes) return tooLarge(p, size);
    const { sha256, seal } = (made ?? path) as { readonly sha256?: string; readonly seal?: string };
    return { copy: p.secret ? { seal, mode: modeOf(p) } : { sha256, mode: modeOf(p) } };
  })
  .steps((p, { now: { path } }) => {
    const size = path === absent ? undefined : peek(path, "size");
    return [
      {
        step: "fetch",
        path: p.path,
        to: p.to,
        mode: modeOf(p),
        maxBytes: p.maxBytes,
        ...(p.through && { through: p.through, ...(p.secret && { secret: true }) }),
        ...(!p.through && typeof size === "number" && { bytes: size }),
      },
    ];
  });

function modeOf(p: Params): string {
  return p.mode ?? (p.secret ? "0600" : "0644");
}

function noFile(path: string): Refusal {
  return refuse({
    code: "no-file",
    message: `${path} does not exist on the host`,
    hint: "Put the task that creates it before this one, or wait for it with waitFor",
  });
}

function noProgram(name: string): Refusal {
  return refuse({
    code: "no-program",
    message: `the program ${name}, which must filter the file, is not installed on the host`,
    hint: "Install it in an earlier task, or correct its name in `through`",
  });
}

function tooLarge({ path, maxBytes }: Params, size: number): Refusal {
  return refuse({
    code: "too-large",
    message: `${path} is larger than maxBytes allows`,
    current: `${size} bytes`,
    expected: `at most ${maxBytes} bytes`,
    hint: "Raise maxBytes if this size is expected",
  });
}

function noRegularFile(path: string, type: string): Refusal {
  return refuse({
    code: "no-regular-file",
    message: type === "other" ? `${path} is a device, FIFO or socket` : `${path} is a ${type}`,
    current: type === "other" ? "a device, FIFO or socket" : type,
    expected: "file",
    hint: "Name a regular file",
  });
}
