import {
  absent,
  absolutePath,
  file,
  localFile,
  mode,
  refuse,
  type Refusal,
  sealedLocalFile,
  task,
  z,
} from "../../src/authoring.ts";

const params = z.strictObject({
  path: absolutePath().describe("Absolute path of the file on the host"),
  to: z
    .string({ error: 'a path on the controller, like "./kubeconfig"' })
    .min(1, 'a path on the controller, like "./kubeconfig"')
    .regex(/^[^\0]*[^/\0]$/, "a path of a file, not of a directory")
    .describe(
      "Path on the controller; a relative one starts where furrow was started. Its folder is made where it is missing",
    ),
  secret: z
    .boolean()
    .default(false)
    .describe("The content is secret: only its owner may read the copy, nothing shows it"),
  mode: mode().optional().describe('Octal mode of the copy in quotes; default "0644", of a secret "0600"'),
});

type Params = z.output<typeof params>;

/** Keeps a copy of a host's file on the controller. */
export const fetch = task({
  name: "fetch",
  summary: "Keep a copy of a file of the host on the controller",
  params,
  examples: [
    { path: "/etc/rancher/rke2/rke2.yaml", to: "./harvester.kubeconfig", secret: true },
    { path: "/var/log/cloud-init-output.log", to: "./logs/boot.log" },
  ],
  title: (p) => `fetch ${p.path} to ${p.to}`,
  disturbs: () => [],
})
  .facts((p) => ({
    path: file(p.path, ["sha256"], { secret: p.secret }),
    copy: p.secret ? sealedLocalFile(p.to) : localFile(p.to),
  }))
  .want((p, { path }) => {
    if (path === absent) return noFile(p.path);
    if (path.type !== "file") return noRegularFile(p.path, path.type);
    const { sha256, seal } = path as { readonly sha256?: string; readonly seal?: string };
    return { copy: p.secret ? { seal, mode: modeOf(p) } : { sha256, mode: modeOf(p) } };
  })
  .steps((p) => [{ step: "fetch", path: p.path, to: p.to, mode: modeOf(p) }]);

function modeOf(p: Params): string {
  return p.mode ?? (p.secret ? "0600" : "0644");
}

function noFile(path: string): Refusal {
  return refuse({
    code: "no-file",
    message: `${path} does not exist on the host`,
    hint: "List the task that makes it before this one, or wait for it with waitFor",
  });
}

function noRegularFile(path: string, type: string): Refusal {
  return refuse({
    code: "no-regular-file",
    message: `${path} is a ${type}`,
    current: type,
    expected: "file",
    hint: "Name a regular file",
  });
}
