import { expect, test } from "vitest";
import { partitionPath } from "./marks.ts";

test.each([
  ["/dev/sdb", "/dev/sdb1"],
  ["/dev/vdaa", "/dev/vdaa1"],
  ["/dev/nvme1n1", "/dev/nvme1n1p1"],
  ["/dev/nvme0n2", "/dev/nvme0n2p1"],
  ["/dev/mmcblk0", "/dev/mmcblk0p1"],
  ["/dev/loop7", "/dev/loop7p1"],
])("the first partition of %s is %s", (disk, partition) => {
  expect(partitionPath(disk, "1")).toBe(partition);
});
