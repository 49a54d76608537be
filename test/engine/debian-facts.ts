import type { HostFacts } from "../../src/core/authoring/playbook.ts";

/** The facts of a small Debian host, as a play reads them. */
export const debianFacts: HostFacts = {
  hostname: "a",
  os: { id: "debian", version: "12", like: ["debian"] },
  architecture: "x86_64",
  kernel: "6.1",
  processors: 2,
  memoryBytes: 1024,
  kvm: false,
  addresses: {},
};
