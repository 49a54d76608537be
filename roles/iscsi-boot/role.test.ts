import { describe, expect, test } from "vitest";
import playbook from "../../playbooks/ops/iscsi-boot.ts";
import { absent } from "../../src/authoring.ts";
import { type Simulation, simulate } from "../../src/testing/index.ts";
import { entriesIn, readsVariable, withWordsInEntries, withWordsInEnvironment } from "./grub-texts.ts";

const words = ["rd.iscsi.firmware", "rd.iscsi.ibft"];
const tail = "$kernelcmd ${extra_cmdline} ${extra_active_cmdline}";
const entry = (name: string, more = ""): string => `menuentry "${name}" {
  set img=/cOS/active.img
  source $(loopdev)/etc/cos/bootargs.cfg
  linux ($loopdev)$kernel ${tail}${more}
  initrd ($loopdev)$initramfs
}
`;
const config = (...more: readonly string[]): string => more.map((one, at) => entry(`Harvester ${at}`, one)).join("");
const both = ` ${words.join(" ")}`;
const old = "set kernelcmd='console=tty1'\n# $third_party_kernel_args\n";
const reads = 'set kernelcmd="console=tty1 ${third_party_kernel_args}"\n';
const block = (...lines: string[]): string =>
  `# GRUB Environment Block\n${lines.map((line) => `${line}\n`).join("")}`.padEnd(1024, "#");

describe("the lines of grub.cfg", () => {
  test("stay unchanged if they already contain the words, and are changed otherwise", () => {
    expect(withWordsInEntries(config(both, both, both), words)).toBe(config(both, both, both));
    expect(withWordsInEntries(config("", both, ""), words)).toBe(config(both, both, both));
    expect(entriesIn(config("", "", ""))).toBe(3);
  });

  test("gain a missing word, and lose a duplicate", () => {
    expect(withWordsInEntries(config(" rd.iscsi.ibft", `${both} quiet rd.iscsi.ibft`), words)).toBe(
      config(" rd.iscsi.ibft rd.iscsi.firmware", `${both} quiet`),
    );
    expect(withWordsInEntries("\tlinuxefi /k a=1\n# linux /k\nlinux\n", ["b"])).toBe(
      "\tlinuxefi /k a=1 b\n# linux /k\nlinux\n",
    );
  });
});

describe("GRUB's environment", () => {
  const textOf = (text: string | undefined) => {
    const changed = withWordsInEnvironment(text, words);
    return "text" in changed ? changed.text : changed.problem;
  };

  test("gets each word once, and keeps its size and all other words", () => {
    expect(textOf(undefined)).toBe(block(`third_party_kernel_args=${words.join(" ")}`));
    expect(textOf(block("saved_entry=a", "third_party_kernel_args=multipath=off", "next_entry=b"))).toBe(
      block("saved_entry=a", `third_party_kernel_args=multipath=off${both}`, "next_entry=b"),
    );
    const right = block(`third_party_kernel_args=rd.iscsi.ibft multipath=off rd.iscsi.firmware`);
    expect(textOf(right)).toBe(right);
  });

  test.each([
    ["another file", "third_party_kernel_args=x\n", "it is not a GRUB environment block"],
    ["a block that was cut off", "# GRUB Environment Block\nsaved_entry=a", "it is not a GRUB environment block"],
    ["a full block", block(`saved_entry=${"x".repeat(960)}`), "it has only 1024 bytes, too few for these words"],
    ["quotes", block("third_party_kernel_args=a='b c'"), "its third_party_kernel_args has quotes or backslashes"],
    [
      "two values",
      block("third_party_kernel_args=a", "third_party_kernel_args=b"),
      "it has third_party_kernel_args 2 times",
    ],
  ])("is not changed if it is, or contains, %s", (_what, text, problem) => {
    expect(textOf(text)).toBe(problem);
  });

  test("is used only by a system that reads it", () => {
    expect([readsVariable(reads), readsVariable("x=$third_party_kernel_args"), readsVariable(old)]).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe("the playbook", () => {
  const run = (state: object, mode: "apply" | "check" = "apply"): Promise<Simulation> =>
    simulate(playbook, {
      hosts: ["node"],
      mode,
      state: {
        node: {
          "file:/sys/firmware/ibft": { type: "directory" },
          "file:/sys/firmware/acpi/tables/iBFT": absent,
          "file:/etc/cos/bootargs.cfg": { text: reads },
          "file:/oem/grubenv": { text: block("third_party_kernel_args=multipath=off") },
          "file:/run/initramfs/cos-state/grub2/grub.cfg": { text: config("", both, "") },
          ...state,
        },
      },
    });
  const steps = ({ events }: Simulation): string[] =>
    events.flatMap((event) => (event.type === "stepStarted" ? [event.step] : []));
  const notes = ({ tasks }: Simulation): string => tasks.flatMap((one) => one.notes).join("\n");

  test("writes the environment exactly once, on a release that reads it, as check mode predicts", async () => {
    const ran = await run({});
    expect(steps(ran)).toEqual(["write /oem/grubenv"]);
    expect(notes(ran)).toBe("");
    expect((await run({}, "check")).tasks.map(({ outcome }) => outcome)).toEqual(["ok", "changed"]);
    const [again] = [await run({ "file:/oem/grubenv": ran.state["node"]?.["file:/oem/grubenv"] ?? absent })];
    expect(steps(again)).toEqual([]);
  });

  test("changes the entries on an older release, and says that an upgrade undoes the change", async () => {
    const ran = await run({ "file:/etc/cos/bootargs.cfg": { text: old } });
    expect(steps(ran)).toEqual(["write /run/initramfs/cos-state/grub2/grub.cfg"]);
    expect(notes(ran)).toContain("rerun this playbook after the upgrade");
    const patched = { "file:/run/initramfs/cos-state/grub2/grub.cfg": { text: config(both, both) } };
    expect(steps(await run({ "file:/etc/cos/bootargs.cfg": { text: old }, ...patched }))).toEqual([]);
  });

  test("leaves a node without iBFT alone, and finds the table in ACPI too", async () => {
    const none = await run({ "file:/sys/firmware/ibft": absent });
    expect(steps(none)).toEqual([]);
    expect(notes(none)).toContain("no iSCSI boot firmware table (iBFT)");
    const acpi = await run({
      "file:/sys/firmware/ibft": absent,
      "file:/sys/firmware/acpi/tables/iBFT": { type: "file" },
    });
    expect(steps(acpi)).toEqual(["write /oem/grubenv"]);
  });

  test.each([
    ["not-harvester", { "file:/etc/cos/bootargs.cfg": absent }],
    ["not-harvester", { "file:/run/initramfs/cos-state/grub2/grub.cfg": { text: "set timeout=5\n" } }],
    ["not-understood", { "file:/oem/grubenv": { text: "x=1\n" } }],
  ])("is refused with the code %s, and changes nothing, both in check mode and in a run", async (code, state) => {
    for (const mode of ["check", "apply"] as const) {
      const ran = await run(state, mode);
      expect(ran.tasks.find(({ error }) => error)?.error?.failure.details).toEqual([`refused: ${code}`]);
      expect(steps(ran)).toEqual([]);
    }
  });
});
