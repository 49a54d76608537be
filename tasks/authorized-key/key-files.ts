import type { HostFact } from "../../src/authoring.ts";
import { ask, defineKind, FurrowError, type NumberedQuestion, shellQuote } from "../../src/facts/index.ts";

/** The files in which sshd looks for a user's public keys. */
export interface KeyFiles {
  /** As in AuthorizedKeysFile of sshd_config(5), with tokens such as %h. */
  readonly files: readonly string[];
  /**
   * Where the list comes from. `sshd`: from sshd itself; `config`: all files that the configuration names, and the
   * default ones, because sshd could not be asked; `unreadable`: only the default ones, and there may be others.
   */
  readonly from: "sshd" | "config" | "unreadable";
}

/** Asks in which files sshd looks for a user's public keys. */
export function keyFiles(user: string): HostFact<KeyFiles> {
  return ask(keyFilesKind, user);
}

/** The value on a host that uses sshd's own default. */
export const defaultKeyFiles: KeyFiles = { files: [".ssh/authorized_keys", ".ssh/authorized_keys2"], from: "sshd" };

/**
 * AuthorizedKeysFile for a user, from `sshd -T`, which needs root and the host's keys. `Match Address` is evaluated as
 * for a login from the host itself.
 */
export const keyFilesKind = defineKind<KeyFiles>({
  name: "sshKeyFiles",
  summary: "The files in which sshd looks for a user's public keys",
  facets: {},
  // sshd's configuration may include files from anywhere, which earlier tasks may change.
  neverAhead: true,
  afterBoot: (_key, value) => value,
  read: (questions) => keyFilesScript(questions),
  parse({ from, files }, { key }) {
    if (files === undefined || (from !== "sshd" && from !== "config" && from !== "unreadable")) {
      throw new FurrowError("E_FACT", { what: `could not find out where sshd looks for the keys of ${key}` });
    }
    return { from, files: files.split(" ").filter((file) => file !== "" && file !== "none") };
  },
  print: ({ from, files }) => ({ from, files: files.join(" ") }),
});

/** The script for this kind. `root` is for tests. */
export function keyFilesScript(questions: readonly NumberedQuestion[], root = ""): string {
  const folders = [`${root}/etc/ssh`, `${root}/usr/etc/ssh`].map(shellQuote).join(" ");
  return `listed() { awk 'tolower($1) == "authorizedkeysfile" { $1 = ""; gsub(/"/, " "); printf "%s ", $0; n++ } END { exit !n }'; }
named() { for d in ${folders}; do
[ -d "$d" ] || continue
for f in "$d"/sshd_config "$d"/sshd_config.d/*; do
[ ! -f "$f" ] || sed 's/^\\([[:space:]]*[A-Za-z]*\\)[[:space:]]*=/\\1 /' "$f" || return
done
done; }
${questions.map(askOne).join("\n")}`;
}

function askOne({ number, key }: NumberedQuestion): string {
  const spec = shellQuote(`user=${key},host=localhost,addr=127.0.0.1,laddr=127.0.0.1,lport=22`);
  const { files } = defaultKeyFiles;
  return `if k=$(PATH=$PATH:/usr/sbin:/sbin; sshd -T -C ${spec} 2>/dev/null </dev/null | listed); then echo "${number} from=sshd"
elif c=$(named 2>/dev/null); then k="${files.join(" ")} $(printf '%s\\n' "$c" | listed)"; echo "${number} from=config"
else k="${files.join(" ")}"; echo "${number} from=unreadable"; fi
printf '%s files=%s\\n' ${number} "$k"`;
}
