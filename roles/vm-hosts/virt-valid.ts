import { refuse, task, z } from "../../src/authoring.ts";

/** The vars about a host's ability to run virtual machines. */
export const virtFields = {
  emulation: z
    .boolean()
    .default(false)
    .describe("Let KubeVirt emulate processors on hosts without KVM: slow, and only for tests"),
  virtFailures: z
    .record(z.string().min(3), z.string().min(1))
    .default({})
    .describe(
      'Checks of `virt-host-validate` that may fail, each as part of its text with the reason: `{ "IOMMU": "no devices are passed through" }`',
    ),
} as const;

const params = z.strictObject({
  host: z.string().describe("Name of the host"),
  output: z.string().describe("What `virt-host-validate qemu` has printed"),
  ...virtFields,
});

type Params = z.output<typeof params>;

/** The checks that fail on hosts without KVM. */
const kvm = /hardware virtualization|\/dev\/kvm/;

/** Refuses a host on which `virt-host-validate` reports a failed check that the vars do not permit. */
export const virtValid = task({
  name: "virtValid",
  summary: "Refuse a host that cannot run virtual machines",
  params,
  examples: [],
  title: ({ host }) => `${host} can run virtual machines`,
})
  .facts(() => ({}))
  .want((p) => {
    const lines = linesOf(p.output);
    if (lines.length === 0)
      return refuse({
        code: "no-validation",
        message: `virt-host-validate on ${p.host} has reported nothing about QEMU`,
        current: p.output.trim().slice(0, 120),
        hint: `Run "virt-host-validate qemu" on ${p.host} to see why`,
      });
    const open = lines.filter((line) => line.failed && excuseOf(p, line.check) === undefined);
    if (open.length === 0) return {};
    return refuse({
      code: "no-virtualization",
      message: `${p.host} cannot run virtual machines as it is: ${open.map(({ check, why }) => `${check}: ${why}`).join("; ")}`,
      hint: "Fix this on the host; for a test without KVM set emulation: true, and virtFailures for a check that may fail",
    });
  })
  .steps(() => [])
  .notes((p) =>
    linesOf(p.output).flatMap(({ check, failed }) => {
      const excuse = failed ? excuseOf(p, check) : undefined;
      return excuse === undefined ? [] : [`${p.host}: "${check}" fails: ${excuse}`];
    }),
  );

function excuseOf({ emulation, virtFailures }: Params, check: string): string | undefined {
  if (emulation && kvm.test(check)) return "machines run without KVM, because emulation is on";
  return Object.entries(virtFailures).find(([part]) => check.includes(part))?.[1];
}

/**
 * `  QEMU: Checking for hardware virtualization    : FAIL (Only emulated CPUs are available)`; it may contain color
 * codes.
 */
function linesOf(output: string): { readonly check: string; readonly failed: boolean; readonly why: string }[] {
  const plain = output.replaceAll(/\u001B\[[\d;]*m/g, "");
  return [...plain.matchAll(/^ *QEMU: (.+?) *: *(PASS|WARN|FAIL|NOTE)(?: *\((.*)\))? *$/gm)].map(
    ([, check = "", verdict, why = "no reason given"]) => ({ check, failed: verdict === "FAIL", why }),
  );
}
