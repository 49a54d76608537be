import { seconds, text, z } from "../../src/authoring.ts";
import { commandLine, effects } from "../command/params.ts";
import { shared } from "../kube-object/params.ts";

const label = z
  .string({ error: 'the value of a label, like "web"' })
  .regex(/^([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)?$/, 'the value of a label, like "web"');

const common = {
  kubeconfig: shared.kubeconfig(),
  context: shared.context(),
  namespace: shared.namespace().describe("Namespace of the pod"),
  container: shared
    .name()
    .optional()
    .describe(
      "Container of the pod; default: its only container, or the default container that the pod's annotation names",
    ),
  command: commandLine().describe("Program and arguments as a list, or a string that `sh -c` runs in the container"),
  stdin: text()
    .optional()
    .describe("Text for stdin; may contain secrets. Needs Kubernetes 1.30 or newer. Default: no stdin"),
  okExit: z
    .array(z.int({ error: "an exit code" }).min(0, "an exit code").max(255, "an exit code from 0 to 255"))
    .min(1, "at least one exit code")
    .default([0])
    .describe("Exit codes that mean success"),
  secret: z
    .boolean({ error: "true or false" })
    .default(false)
    .describe("The output is secret: no report shows it, and `output.stdout` and `output.stderr` are secrets"),
  deadlineSeconds: seconds()
    .default(600)
    .describe(
      "Seconds after which the task fails if the command has not finished; the command may still be running then",
    ),
};

const pod = { ...common, pod: shared.name().describe("Name of the pod") };

const labels = {
  ...common,
  labels: z
    .record(z.string().regex(/^[^=,\s!()]+$/, 'the name of a label, like "app"'), label)
    .refine((own) => Object.keys(own).length > 0, "at least one label")
    .describe("Labels of the pod. Pods that have finished or are being deleted do not count"),
  each: z
    .boolean({ error: "true or false" })
    .default(false)
    .describe("Run in each pod with these labels, one after the other; otherwise there must be exactly one such pod"),
};

const guards = {
  unless: {
    ...effects,
    unless: commandLine().describe(
      "Run only if this command fails in the container; afterwards it must succeed. With `each`, this is decided for each pod",
    ),
    readOnly: z
      .literal(true, { error: "true: `unless` must not change anything, because check mode runs it too" })
      .describe("`unless` changes nothing, so check mode may run it"),
  },
  readOnly: {
    readOnly: z
      .literal(true, { error: "true: it changes nothing" })
      .describe("The command changes nothing: check mode runs it too, and it never counts as changed"),
  },
  always: {
    ...effects,
    always: z
      .literal(true, { error: "true: it runs every time" })
      .describe("Run every time, and always count as changed"),
  },
};

/** Params of `kubeExec`: the pods, the command, and exactly one guard. */
export const params = z.union(
  [
    z.strictObject({ ...pod, ...guards.unless }),
    z.strictObject({ ...pod, ...guards.readOnly }),
    z.strictObject({ ...pod, ...guards.always }),
    z.strictObject({ ...labels, ...guards.unless }),
    z.strictObject({ ...labels, ...guards.readOnly }),
    z.strictObject({ ...labels, ...guards.always }),
  ],
  {
    error:
      'either `pod` or `labels`, and exactly one of `unless: ["test", "-e", "/path"]` with `readOnly: true`, ' +
      "`readOnly: true` alone or `always: true`, which decides whether the command has to run",
  },
);

/** Parsed params. */
export type Params = z.output<typeof params>;

/** True if the command changes nothing and is run for its output. */
export function isReader(p: Params): boolean {
  return "readOnly" in p && !("unless" in p);
}
