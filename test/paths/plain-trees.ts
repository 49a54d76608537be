import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { at, hasMount, modeOf, type PlainOutcome, replace, Unspecified } from "./plain-files.ts";

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Makes a directory on the host equal to a directory on the controller. */
export function putTree(path: string, source: string, purge: boolean): PlainOutcome {
  if (
    hasMount(path) ||
    (purge &&
      `${path}/`.startsWith(`${existsSync(path) ? realpathSync(path) : path}/`) &&
      at(path)?.isSymbolicLink() === true)
  )
    throw new Unspecified();
  const there = isDirectory(path);
  if (!there && at(path) !== undefined) return "failed";
  const names = ["", ...walk(source)];
  for (const name of names.slice(1)) {
    const [now, wanted] = [at(`${path}/${name}`), lstatSync(`${source}/${name}`)];
    if (now !== undefined && now.isDirectory() !== wanted.isDirectory() && (now.isDirectory() || wanted.isDirectory()))
      return "failed";
  }
  let changed = false;
  if (purge && there) {
    for (const name of walk(path)
      .filter((one) => !names.includes(one))
      .toReversed()) {
      if (hasMount(`${path}/${name}`)) throw new Unspecified();
      rmSync(`${path}/${name}`, { recursive: true });
      changed = true;
    }
  }
  for (const name of names) {
    const [place, from] = [name === "" ? path : `${path}/${name}`, `${source}/${name}`];
    if (lstatSync(from).isDirectory()) {
      if (!isDirectory(place)) mkdirSync(place, { recursive: true });
      else if (modeOf(statSync(place)) === "0755") continue;
      chmodSync(place, 0o755);
      changed = true;
      continue;
    }
    const now = at(place);
    const content = readFileSync(from, "utf8");
    if (now?.isFile() === true && readFileSync(place, "utf8") === content) {
      if (modeOf(now) === "0644") continue;
      chmodSync(place, 0o644);
    } else replace(place, content, "0644");
    changed = true;
  }
  return changed ? "changed" : "ok";
}

/** All names below a directory, without following links; a directory comes before its entries. */
function walk(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? [entry.name, ...walk(`${directory}/${entry.name}`).map((name) => `${entry.name}/${name}`)]
      : [entry.name],
  );
}

/** Every archive contains one file, `packed`; the test runner records where it was unpacked. */
export function unpack(archive: string, to: string, creates: string | undefined): PlainOutcome {
  if (creates === undefined) throw new Unspecified();
  if (at(creates) !== undefined) return "ok";
  if (at(archive)?.isFile() !== true) return "failed";
  const now = at(to);
  if (now !== undefined && !now.isDirectory() && !now.isSymbolicLink()) return "failed";
  if (now === undefined) mkdirSync(to, { recursive: true });
  if (!isDirectory(to)) return "failed";
  const packed = `${to}/packed`;
  if (at(packed)?.isDirectory() === true) return "failed";
  rmSync(packed, { force: true });
  copyFileSync(`${archive}.content`, packed);
  chmodSync(packed, 0o644);
  return existsSync(creates) || at(creates) !== undefined ? "changed" : "failed";
}
