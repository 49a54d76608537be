import { absent, refuse, type Refusal } from "../../src/authoring.ts";
import { interfacesPath } from "./interfaces-file.ts";

/** The file, folder or link at a path. */
interface Found {
  readonly type: string;
  readonly target?: string;
  readonly text?: string | undefined;
}

/**
 * Explains why a path cannot hold furrow's files; undefined if it can. Anything at the path must be a real folder,
 * because an undo saves and restores the contents of a folder, not of a link's target.
 */
export function notAFolder(path: string, found: typeof absent | Found | undefined): Refusal | undefined {
  if (found === undefined || found === absent || found.type === "directory") return undefined;
  return refuse({
    code: "not-a-folder",
    message: `${path} is not a folder, so the host could not restore the files in it if the change must be reverted`,
    current: found.type === "link" ? `a link to ${found.target}` : `type ${found.type}`,
    expected: "a folder",
    hint: `Replace ${path} with a folder that contains the files, and rerun`,
  });
}

/**
 * Explains why furrow cannot edit ifupdown's file; undefined if it can. An existing file must be a regular file,
 * because furrow would otherwise write a new one, without the stanzas of the old one.
 */
export function notEditable(found: typeof absent | Found): Refusal | undefined {
  if (found === absent || (found.type === "file" && found.text !== undefined)) return undefined;
  return refuse({
    code: "not-a-file",
    message: `${interfacesPath} is not a regular file, so furrow cannot edit the definitions in it`,
    current: found.type === "link" ? `a link to ${found.target}` : `type ${found.type}`,
    expected: "a regular file, or none",
    hint: `Replace ${interfacesPath} with a copy of the file, and rerun`,
  });
}
