import type { Outside } from "../../src/transport/outside.ts";
import type { Bench } from "./expected.ts";

/** The controller's files, in memory: `fetch` writes to the state of its run's controller. */
export function benchFiles(benches: ReadonlyMap<string, Bench>): Partial<Outside> {
  const parts = new Map<string, Buffer>();
  const files: Record<string, (...input: never[]) => unknown> = {
    mkdir: () => Promise.resolve(),
    rm: (path: string) => Promise.resolve(void parts.delete(path)),
    open: (path: string) => {
      parts.set(path, Buffer.alloc(0));
      return Promise.resolve({
        write: (data: Buffer) => Promise.resolve(parts.set(path, Buffer.concat([parts.get(path)!, data]))),
        chmod: () => Promise.resolve(),
        sync: () => Promise.resolve(),
        close: () => Promise.resolve(),
      });
    },
    rename: (from: string, to: string) => {
      const [, run = ""] = to.split("/");
      benches.get(run)?.files.set(to, parts.get(from)!.toString());
      return Promise.resolve(void parts.delete(from));
    },
  };
  return files;
}
