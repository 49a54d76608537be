import { expect, it } from "vitest";
import { parseInput } from "../../src/core/params/params.ts";
import { ec2Instance } from "./ec2-instance.ts";
import { ec2Volume } from "../ec2-volume/ec2-volume.ts";

const params = (shape: object): object => ({ name: "data", zone: "eu-central-1a", ...shape });
const faultOf = (schema: typeof ec2Volume.card.params, input: object): unknown => {
  try {
    parseInput(schema, input, {});
    return undefined;
  } catch (error) {
    return (error as { failure: { where: { param: string } } }).failure.where.param;
  }
};

const shapes: readonly (readonly [object, string | undefined])[] = [
  [{ type: "st1", sizeGb: 1 }, "sizeGb"],
  [{ type: "st1", sizeGb: 125 }, undefined],
  [{ type: "gp2", sizeGb: 100, iops: 3000 }, "iops"],
  [{ type: "io2", sizeGb: 100 }, "iops"],
  [{ type: "io2", sizeGb: 60_000, iops: 10_000 }, undefined],
  [{ type: "gp2", sizeGb: 60_000 }, "sizeGb"],
  [{ type: "io1", sizeGb: 10, iops: 501 }, "iops"],
  [{ type: "io1", sizeGb: 10, iops: 500 }, undefined],
  [{ sizeGb: 10, iops: 100 }, "iops"],
  [{ sizeGb: 4, iops: 3000 }, undefined],
  [{ sizeGb: 100, throughput: 1000 }, "throughput"],
  [{ sizeGb: 100, iops: 4000, throughput: 1000 }, undefined],
  [{ type: "sc1", sizeGb: 500, throughput: 250 }, "throughput"],
  [{ type: "standard", sizeGb: 2000 }, "sizeGb"],
];

it.each(shapes)("refuses the volume %j when the playbook is loaded, because EC2 would refuse it", (shape, param) => {
  expect(faultOf(ec2Volume.card.params, params(shape))).toBe(param);
});

it("names the disk whose settings are wrong", () => {
  const machine = { name: "web", type: "m8i.4xlarge", image: { id: "ami-1" } };
  const disk = { device: "/dev/sdf", type: "st1", sizeGb: 1 };
  expect(faultOf(ec2Instance.card.params, { ...machine, disks: [disk] })).toBe("disks.0.sizeGb");
  expect(faultOf(ec2Instance.card.params, { ...machine, rootDisk: { type: "io2", sizeGb: 10 } })).toBe("rootDisk.iops");
});

it("accepts an absent volume that has a type but no size", () => {
  expect(faultOf(ec2Volume.card.params, { name: "data", state: "absent", type: "io2" })).toBeUndefined();
});
