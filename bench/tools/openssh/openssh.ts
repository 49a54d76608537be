import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { directories, files, jobs, packages, units } from "../../rerun/workload.ts";
import { bigPath, one, tenDirectories, tenFiles, treePath } from "../../workloads/things.ts";
import type { Errand, Tool } from "../tool.ts";

/**
 * Plain OpenSSH: one `ssh host sh -s < script` for each host, all in parallel, with a script that reads the state
 * before it changes anything. It uses tar over ssh for a tree and scp for a large file, which both send everything each
 * time.
 */
export const openssh: Tool = {
  name: "openssh",
  packages: ["openssh-client"],
  slow: false,
  program(errand) {
    const script = join(errand.targets.folder, `openssh-${errand.plan}${errand.check ? "-check" : ""}.sh`);
    writeFileSync(script, scriptOf(errand));
    return { argv: ["/bin/sh", "-c", commandOf(errand, script)], env: { F: errand.targets.sshConfig } };
  },
  changes: (output) => [...output.matchAll(/^changed /gm)].length,
};

/** One command line for all hosts; it fails if the command fails for any of them. */
function commandOf({ plan, targets, tree, big }: Errand, script: string): string {
  const one = {
    fifty: `ssh -F "$F" $host sh -s < ${script}`,
    one: `ssh -F "$F" $host sh -s < ${script}`,
    ten: `ssh -F "$F" $host sh -s < ${script}`,
    tree: `tar -c -C ${tree} --owner=root --group=root . | ssh -F "$F" $host 'mkdir -p ${treePath} && tar -xp -C ${treePath}'`,
    big: `scp -q -F "$F" ${big} $host:${bigPath}`,
  }[plan];
  const names = targets.hosts.map(({ name }) => name).join(" ");
  return `pids=; for host in ${names}; do ${one} & pids="$pids $!"; done; code=0; for pid in $pids; do wait $pid || code=1; done; exit $code`;
}

const functions = `umask 022
say() { echo "changed $1"; }
directory() {
  [ -d "$1" ] && [ "$(stat -c %a:%U:%G "$1")" = 755:root:root ] && return
  say "$1"; $check || { mkdir -p "$1"; chmod 755 "$1"; chown root:root "$1"; }
}
file() {
  content=$(cat; echo x)
  content=\${content%x}
  [ -f "$1" ] && printf %s "$content" | cmp -s - "$1" && [ "$(stat -c %a:%U:%G "$1")" = 644:root:root ] && return
  say "$1"; $check || { printf %s "$content" > "$1.new"; mv "$1.new" "$1"; }
}
package() { dpkg-query -W -f '\${Status}' "$1" 2>/dev/null | grep -q ' installed$' && return; say "$1"; $check || apt-get install -qqy "$1" < /dev/null; }
unit() { systemctl -q is-active "$1" && return; say "$1"; $check || systemctl start "$1"; }
job() { case $jobs in *"$1"*) return ;; esac; say "$1"; jobs="$jobs$1
"; }
`;

function scriptOf({ plan, check }: Errand): string {
  const head = `check=${check}\n${functions}`;
  const texts = { fifty: files, one: [one], ten: tenFiles, tree: [], big: [] }[plan];
  const folders = { fifty: directories, one: [], ten: tenDirectories, tree: [], big: [] }[plan];
  const lines = [
    ...folders.map((path) => `directory ${path}`),
    ...texts.map(({ path, content }) => `file ${path} <<'END'\n${content}END`),
  ];
  if (plan !== "fifty") return `${head}${lines.join("\n")}\ntrue\n`;
  const more = [
    ...packages.map((name) => `package ${name}`),
    ...lines,
    ...units.map((name) => `unit ${name}`),
    "jobs=$(crontab -l 2>/dev/null; echo x); jobs=${jobs%x}; before=$jobs",
    ...jobs.map(({ schedule, command }) => `job '${schedule} ${command}'`),
    '[ "$jobs" = "$before" ] || $check || printf %s "$jobs" | crontab -',
  ];
  return `${head}${more.join("\n")}\n`;
}
