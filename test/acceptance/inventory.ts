/** One lab host in place of a cloud VM. FURROW_LAB_NAME names its lab, FURROW_VARS holds the cluster as JSON. */
import { generated, inventory } from "furrow";
import { labHosts } from "furrow/lab";

const vars = JSON.parse(process.env["FURROW_VARS"] ?? "{}") as Record<string, unknown>;

export default inventory({
  hosts: {},
  sources: [labHosts({ name: process.env["FURROW_LAB_NAME"] ?? "", user: "root" })],
  vars: { token: generated("acceptance/token"), password: generated("acceptance/password"), ...vars },
});
