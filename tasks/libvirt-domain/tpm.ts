import { type Refusal, refuse } from "../../src/authoring.ts";
import type { LibvirtDomain } from "../../src/facts/catalogue.ts";

/** Refuses to remove a machine with a virtual TPM: data encrypted with its keys could no longer be read. */
export function domainWithTpm(name: string, domain: LibvirtDomain): Refusal | undefined {
  if (!domain.losesTpm) return undefined;
  return refuse({
    code: "domain-has-tpm",
    message: `${name} cannot be removed, because its disks may be encrypted with keys in its virtual TPM, which would be deleted`,
    current: "a virtual TPM",
    expected: "no virtual TPM",
    hint: "Save a recovery key of the guest's encrypted disks, or make sure that nothing is encrypted; then set force: true to remove the machine with its TPM",
  });
}

/** The note about the TPM of a machine that is removed by force. */
export function lostTpm({ losesTpm }: LibvirtDomain): string[] {
  if (!losesTpm) return [];
  return ["its virtual TPM is deleted: what is encrypted with its keys cannot be read without a recovery key"];
}
