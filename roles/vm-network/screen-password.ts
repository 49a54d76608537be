import { generated, type Secret } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";

/** The file with the password of the nodes' screens, which only root may read. */
export const screenPasswordFile = "/etc/furrow-vnc-password";

/** The program that gives libvirt the password before each start of its daemon. */
export const screenProgram = "/usr/local/sbin/furrow-vnc-password";

/**
 * The program's text. The password belongs in libvirt's own file, because a domain definition would show it to everyone
 * who may read definitions. If the file has several lines with a password, libvirt uses the first (virConfGetValue), so
 * the program leaves only one.
 */
export const programText = `#!/bin/sh
# Written by furrow: sets the password of the nodes' screens in libvirt's configuration.
conf=/etc/libvirt/qemu.conf setting='^[[:blank:]]*vnc_password[[:blank:]]*='
password=$(cat ${screenPasswordFile}) || exit
line="vnc_password = \\"$password\\""
[ "$(grep "$setting" "$conf")" = "$line" ] && exit
umask 077
{ grep -v "$setting" "$conf"; printf '%s\\n' "$line"; } >"$conf.part" && mv -f "$conf.part" "$conf"
`;

/**
 * Keeps the password file and the program in place. A generated password never replaces an existing one: each
 * controller generates its own, and a second controller must not replace the first one's.
 */
export function screenPassword({ vncPassword, prefix }: Cluster) {
  const program = t.file({ path: screenProgram, content: programText, mode: "0755" });
  const kept = { mode: "0600", owner: "root", group: "root" } as const;
  const name = "password of the nodes' screens";
  if (vncPassword !== undefined) {
    return { program, password: t.file({ path: screenPasswordFile, content: `${vncPassword}\n`, ...kept }, { name }) };
  }
  const secret: Secret = generated(`harvester/${prefix}/vnc`, { length: 8 });
  const command = ["sh", "-c", 'umask 077; cat >"$1.part" && mv -f "$1.part" "$1"', "sh", screenPasswordFile];
  const creates = screenPasswordFile;
  return {
    program,
    password: t.command({ command, stdin: `${secret}\n`, creates, disturbs: [`file:${creates}`] }, { name }),
  };
}
