/** A lab host. The login key has a passphrase, and the user's sudo asks for a password. */
import { inventory, secret } from "furrow";
import { readLab } from "furrow/lab";

const { FURROW_LAB_NAME = "", PLANTED_KEY = "" } = process.env;
const lab = await readLab(FURROW_LAB_NAME);
const hosts = lab?.hosts.map(({ name, address }) => [name, { address }] as const) ?? [];

export default inventory({
  hosts: Object.fromEntries(hosts),
  user: "furrow",
  identityFile: PLANTED_KEY,
  passphrase: secret.env("PLANTED_PASSPHRASE"),
  knownHostsFile: lab?.knownHostsFile ?? "",
  become: { method: "sudo", password: secret.env("PLANTED_BECOME") },
  vars: { token: secret.env("PLANTED_VAR") },
});
