import { describe, expect, test } from "vitest";
import { libvirtDomainKind } from "../../src/facts/libvirt/domain.ts";
import { explain, type Explanation } from "../../src/testing/index.ts";
import { bareOff } from "./libvirt-domain.cases.ts";
import { libvirtDomain } from "./libvirt-domain.ts";

const removalOf = (tpm: string, force = false): Explanation => {
  const lines = { state: "shut off", inactive: bareOff.domain.xml.replace("</devices>", `${tpm}</devices>`) };
  const domain = libvirtDomainKind.parse(
    { ...lines, persistent: "yes" },
    { kind: "libvirtDomain", key: "node-1", facets: [] },
  );
  return explain(libvirtDomain({ name: "node-1", state: "absent", force }), { ...bareOff, domain });
};
const tpm = (backend: string): string => `<tpm model='tpm-crb'><backend ${backend}/><alias name='tpm0'/></tpm>`;
const own = tpm("type='emulator' version='2.0'");

describe("a machine with a virtual TPM, whose keys are deleted with the definition", () => {
  test("is not removed without force, because its disks may be encrypted with these keys", () => {
    const { refusal, steps } = removalOf(own);
    expect(steps).toEqual([]);
    expect(refusal).toMatchObject({ code: "domain-has-tpm", current: "a virtual TPM", expected: "no virtual TPM" });
  });

  test("is removed by force, and a note says what is lost", () => {
    expect(removalOf(own, true).steps).toHaveLength(1);
    expect(removalOf(own, true)).toMatchObject({
      notes: ["its virtual TPM is deleted: what is encrypted with its keys cannot be read without a recovery key"],
    });
  });

  test.each([
    ["it has no TPM", ""],
    ["libvirt keeps its state", tpm("type='emulator' version='2.0' persistent_state='yes'")],
    ["it is a device of the host", tpm("type='passthrough'")],
  ])("is removed if %s", (_title, xml) => {
    expect(removalOf(xml).notes).toEqual([]);
    expect(removalOf(xml).steps).toHaveLength(1);
  });
});
