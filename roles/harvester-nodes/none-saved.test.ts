import { expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { explain } from "../../src/testing/index.ts";
import { domainWith } from "../../tasks/libvirt-domain/libvirt-domain.cases.ts";
import { noneSaved } from "./none-saved.ts";

const call = noneSaved({ names: ["lab-1", "lab-2"] });
const off = domainWith({}, { state: "shut off" });
const saved = domainWith({}, { state: "shut off", saved: true });

test("refuses a node that libvirt has saved, and says how to start it or discard its memory", () => {
  expect(explain(call, { domains: [off, saved] }).refusal).toMatchObject({
    code: "domain-saved",
    message: "lab-2 is not shut down: libvirt has saved its memory, with everything that was running in it",
    current: "shut off (saved)",
    hint: expect.stringMatching(/virsh start lab-2.*virsh managedsave-remove lab-2/) as string,
  });
});

test("accepts nodes that are running, shut off or nonexistent", () => {
  expect(explain(call, { domains: [off, domainWith()] }).refusal).toBeUndefined();
  expect(explain(call, { domains: [absent, off] }).refusal).toBeUndefined();
});
