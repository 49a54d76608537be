import type { Node } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import type { Next } from "./playbook-files.ts";

/** Tasks for a data disk and the files on it. */
export function storage(vars: { readonly disks: readonly string[] }, next: Next): Node[] {
  const [device = "", used = ""] = vars.disks;
  return [
    t.disk({ device, mountPoint: "/mnt/data", label: "data", mode: "0711" }, next()),
    // Existing data: check and run both refuse to touch it.
    t.disk({ device: used, mountPoint: "/mnt/used" }, { ...next(), ignoreFailure: true }),
    t.file({ path: "/mnt/data/images", state: "directory", mode: "0755" }, next()),
    t.file({ path: "/mnt/data/images/one", content: "one\n" }, next()),
  ];
}
