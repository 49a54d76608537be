import {
  absent,
  absolutePath,
  file,
  knownAfterApply,
  peek,
  refuse,
  type Refusal,
  task,
  z,
} from "../../src/authoring.ts";

const params = z.strictObject({
  from: absolutePath().describe("The program, as its package installs it"),
  to: absolutePath().describe("Path of the copy"),
});

const attributes = { type: "file", mode: "0644", owner: "root", group: "root" } as const;

/**
 * Copies the program that firmware boots. A link would not work: AppArmor checks the path that a link points to, and
 * dnsmasq may only read below its TFTP directory.
 */
export const bootProgram = task({
  name: "bootProgram",
  summary: "Copy iPXE to the TFTP directory",
  params,
  examples: [],
  title: ({ to }) => `boot program ${to}`,
})
  .facts((p) => ({ from: file(p.from, ["sha256"]), to: file(p.to, ["sha256"]) }))
  .want((p, now) => {
    const from = peek(now, "from");
    if (from === absent) return noProgram(p.from, "does not exist");
    const type = from === knownAfterApply ? from : peek(from, "type");
    // The fact about a link does not contain the hash of the file that would be copied.
    if (type !== knownAfterApply && type !== "file") return noProgram(p.from, `is not a regular file but a ${type}`);
    // An earlier task will install the package. If the copy is missing, it will be made whatever the program contains.
    if (from === knownAfterApply && peek(now, "to") === absent) return { to: attributes };
    const program = now.from;
    return { to: { ...attributes, sha256: program === absent ? undefined : program.sha256 } };
  })
  .steps((p, { change }) => [
    change.to && {
      step: "run",
      label: `copy ${p.from} to ${p.to}`,
      argv: ["sh", "-c", script, "sh", p.from, p.to],
    },
  ]);

function noProgram(path: string, problem: string): Refusal {
  return refuse({
    code: "no-boot-program",
    message: `${path} ${problem}, so UEFI firmware would have no program to boot`,
    hint: `Find where its package has put it, and copy it: cp -L PATH ${path}`,
  });
}

const script = `cp -L -- "$1" "$2.part" && chown root:root "$2.part" && chmod 0644 "$2.part" && mv -f -- "$2.part" "$2"`;
