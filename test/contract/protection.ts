import * as fc from "fast-check";
import { absent } from "../../src/authoring.ts";

const name = fc.stringMatching(/^[a-z][a-z0-9_-]{0,9}$/);
const text = fc.string({ maxLength: 40 });
const members = (member: fc.Arbitrary<string>): fc.Arbitrary<object> =>
  fc.dictionary(member, fc.constant(true), { maxKeys: 4, noNullPrototype: true });
const zone = fc.oneof(
  fc.constant(absent),
  fc.record({
    target: fc.constantFrom("default", "ACCEPT", "DROP"),
    services: members(name),
    ports: members(fc.nat(65_535).map((port) => `${port}/tcp`)),
    rules: members(name.map((word) => `rule service name="${word}" accept`)),
  }),
);

/** Random values of the facts about what protects a host: rights, profiles, labels and firewalls. */
export const protection: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  apparmorProfile: fc.oneof(fc.constant(absent), fc.record({ mode: fc.constantFrom("enforce", "complain", ""), text })),
  selinuxLabel: fc.oneof(
    fc.constant(absent),
    fc.record({ mode: fc.constantFrom("enforcing", "permissive"), type: fc.oneof(fc.constant(absent), name) }),
  ),
  firewalld: fc.oneof(
    fc.constant(absent),
    fc.record({ daemon: fc.constantFrom("running", "stopped", "failed"), zone: name, runtime: zone, permanent: zone }),
  ),
  access: fc.record(
    {
      at: name.map((word) => `/${word}`),
      uid: fc.nat(),
      groups: fc.array(name, { maxLength: 3 }),
      write: fc.boolean(),
      sticky: fc.boolean(),
      mounted: fc.boolean(),
      gives: name,
      in: fc.constantFrom("immutable", "append-only"),
      is: fc.constantFrom("immutable", "append-only"),
      kernel: fc.constantFrom("proc", "sysfs"),
    },
    { requiredKeys: ["at", "uid", "groups", "write", "sticky", "mounted"] },
  ),
  removable: fc.record(
    { denied: name, held: name, shut: name, slow: fc.constant(true), sticky: name },
    { requiredKeys: [] },
  ),
};
