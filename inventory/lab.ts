/**
 * The hosts of a running lab: `furrow lab up 4`, then `furrow ping -i inventory/lab.ts`. FURROW_LAB_NAME selects the
 * lab; default: `lab`.
 */
import { inventory } from "furrow";
import { labHosts } from "furrow/lab";

const name = process.env["FURROW_LAB_NAME"] ?? "lab";
const user = process.env["FURROW_LAB_USER"] ?? "root";

export default inventory({ hosts: {}, sources: [labHosts({ name, user })] });
