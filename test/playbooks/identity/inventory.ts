/** This machine, with the vars of a cluster. */
import { generated, inventory } from "furrow";

export default inventory({
  hosts: { here: { transport: "local" } },
  vars: { disks: ["/dev/a"], token: generated("identity/token"), password: generated("identity/password") },
});
