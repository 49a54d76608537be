import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Driver } from "../../core/driver.ts";
import { FurrowError } from "../../core/errors.ts";
import { absent } from "../../core/symbols.ts";

/** Answers `localFile`: a regular file of the controller with its size and SHA-256, or absent. */
export const fileDriver: Driver = {
  name: "file",
  async read(request, signal) {
    const { path } = request as { readonly path: string };
    const real = resolve(path);
    try {
      const found = await stat(real);
      if (!found.isFile()) return absent;
      const hash = createHash("sha256");
      await pipeline(createReadStream(real), hash, { signal });
      return { sha256: hash.digest("hex"), size: found.size, path: real };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return absent;
      signal.throwIfAborted();
      throw new FurrowError("E_FILE", {
        what: `the file ${path} of the controller cannot be read`,
        current: (error as Error).message,
        hint: "Give the account that runs furrow the right to read it",
        cause: error,
      });
    }
  },
};
