import { createHash } from "node:crypto";
import { directories, files, jobs, packages, units } from "../../rerun/workload.ts";
import { one, tenDirectories, tenFiles } from "../../workloads/things.ts";

/** The objects that a host must have. */
interface Things {
  readonly directories: readonly string[];
  readonly files: readonly { readonly path: string; readonly content: string }[];
  readonly packages?: readonly string[];
  readonly units?: readonly string[];
  readonly jobs?: readonly { readonly schedule: string; readonly command: string }[];
}

/** The objects of each plan whose objects can all be read and set by one script. */
export const thingsOf: Readonly<Record<"fifty" | "one" | "ten", Things>> = {
  fifty: { directories, files, packages, units, jobs },
  one: { directories: [], files: [one] },
  ten: { directories: tenDirectories, files: tenFiles },
};

/** The script that prints the current state, with one command for each kind of object. */
export function readingScript({
  directories: folders,
  files: texts,
  packages: names,
  units: services,
  jobs: lines,
}: Things): string {
  const paths = texts.map(({ path }) => path).join(" ");
  return [
    "export LC_ALL=C",
    `stat -c '%F|%a|%U|%G|%n' ${folders.join(" ")} ${paths} 2>/dev/null`,
    `sha256sum ${paths} 2>/dev/null`,
    names === undefined ? "" : `dpkg-query -W -f '\${Status} \${Package}\\n' ${names.join(" ")} 2>/dev/null`,
    services === undefined ? "" : `systemctl show -p Id,ActiveState ${services.join(" ")}`,
    lines === undefined ? "" : "crontab -l 2>/dev/null",
    "true\n",
  ].join("\n");
}

/** The lines that the answer must contain, each with the command that fixes it if it is missing. */
export function wantedLines(things: Things): readonly { readonly line: string; readonly fix: string }[] {
  const file = ({ path, content }: Things["files"][number]): string =>
    `printf %s ${Buffer.from(content).toString("base64")} | base64 -d > ${path}.new && chmod 644 ${path}.new && mv ${path}.new ${path}`;
  return [
    ...things.directories.map((path) => ({ line: `directory|755|root|root|${path}`, fix: `mkdir -p ${path}` })),
    ...things.files.map((it) => ({ line: `regular file|644|root|root|${it.path}`, fix: file(it) })),
    ...things.files.map((it) => ({
      line: `${createHash("sha256").update(it.content).digest("hex")}  ${it.path}`,
      fix: file(it),
    })),
    ...(things.packages ?? []).map((name) => ({
      line: `install ok installed ${name}`,
      fix: `apt-get install -qqy ${name}`,
    })),
    ...(things.units ?? []).map((name) => ({
      line: `Id=${name}.service\nActiveState=active`,
      fix: `systemctl start ${name}`,
    })),
    ...(things.jobs ?? []).map(({ schedule, command }) => {
      const line = `${schedule} ${command}`;
      return { line, fix: `jobs="\${jobs}${line}\n"` };
    }),
  ];
}

/** The script that fixes what is missing and reads everything again. */
export function mendingScript(things: Things, fixes: readonly string[]): string {
  const repair = [...new Set(fixes)].join(" || exit\n");
  return `umask 022\njobs=\n${repair} || exit\n[ -z "$jobs" ] || { crontab -l 2>/dev/null; printf %s "$jobs"; } | crontab - || exit\n${readingScript(things)}`;
}
