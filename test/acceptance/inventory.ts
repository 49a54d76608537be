/**
 * One lab host in place of a cloud VM. FURROW_LAB_NAME is the name of its lab; FURROW_VARS contains the cluster as
 * JSON.
 */
import { generated, inventory } from "furrow";
import { labHosts } from "furrow/lab";

const vars = JSON.parse(process.env["FURROW_VARS"] ?? "{}") as Record<string, unknown>;

export default inventory({
  hosts: {},
  sources: [labHosts({ name: process.env["FURROW_LAB_NAME"] ?? "", user: "root" })],
  vars: { token: generated("acceptance/token"), password: generated("acceptance/password"), ...vars },
});
