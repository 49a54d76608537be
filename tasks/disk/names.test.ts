import { expect, test } from "vitest";
import { useNames } from "./names.ts";

test.each([
  { use: "mount:/srv", says: "mounted at /srv" },
  { use: "process:812-qemu", says: "open for writing by process 812 (qemu)" },
  { use: "journal:sdd1", says: "in use as the journal of the file system on /dev/sdd1" },
  { use: "journal:cciss!c0d0p1", says: "in use as the journal of the file system on /dev/cciss/c0d0p1" },
  { use: "journal:", says: "in use as the journal of another file system" },
  { use: "log:/srv/a:b", says: "in use as the log or real-time device of the file system at /srv/a:b" },
  { use: "namespace:812-a:/b:/srv", says: "mounted at /srv in the mount namespace of process 812 (a:/b)" },
  { use: "mounted", says: "mounted in a mount namespace that contains no process" },
  {
    use: "claimed",
    says: "in exclusive use by something that the host does not list, such as a ZFS pool or an iSCSI target",
  },
  { use: "swap", says: "in use as swap" },
])("the use $use of a disk is described as: $says", ({ use, says }) => {
  expect(useNames([use])).toBe(says);
});
