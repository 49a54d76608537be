import { knownAfterApply, peek, type Refusal, refuse } from "../../src/authoring.ts";
import type { MountUse } from "../../src/facts/catalogue.ts";

/** Refuses to unmount a mount that is in use: umount(8) would fail with "target is busy". */
export function busy(path: string, use: MountUse | undefined): Refusal | undefined {
  const uses = use && peek(use, "uses");
  if (uses === undefined || uses === knownAfterApply || uses.length === 0) return undefined;
  return refuse({
    code: "mount-busy",
    message: `${path} cannot be unmounted, because it is in use`,
    current: uses.map(told).join(", "),
    expected: "nothing uses it",
    hint: `First stop or unmount whatever uses it, or set lazy: true to detach ${path} anyway`,
  });
}

const ways: Readonly<Record<string, string>> = {
  cwd: "has its working directory there",
  root: "has its root directory there",
  program: "runs a program from there",
  file: "has a file open there",
};

/** Describes one use in words. */
function told(use: string): string {
  const [kind = "", first = "", name = "", how = ""] = use.split(":");
  const rest = use
    .slice(kind.length + 1)
    .replaceAll(/\\([0-7]{3})/g, (_all, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
  if (kind === "process") return `${name} (${first}) ${ways[how] ?? how}`;
  if (kind === "mount") return `${rest} is mounted below it`;
  if (kind === "socket") return `the socket ${rest} is in use`;
  if (kind === "export") return `${rest} is exported by the NFS server`;
  return kind === "loop" ? `it contains the file behind the loop device ${rest}` : `${rest} is in use as swap`;
}
