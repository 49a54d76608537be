import { FurrowError } from "../core/errors.ts";

/**
 * If a cloud's SDK failed to load because it is not installed, returns a FurrowError E_DRIVER with the command that
 * installs the SDK; returns any other error unchanged. The published package leaves the SDKs out, because they take
 * most of the space and most users need at most one of them. `all`: the packages that are needed together.
 */
export function missingSdk(error: unknown, name: string, all: readonly string[] = [name]): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  // The error codes (https://nodejs.org/api/errors.html) for `import` and for `require`. If the SDK itself lacks a
  // package, the message names that package instead.
  const missing = code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
  const named = [`'${name}'`, `'${name}/`].some((text) => message.split("imported from")[0]?.includes(text));
  if (!missing || !named) return error;
  return new FurrowError("E_DRIVER", {
    what: `the package ${name} is not installed`,
    expected: "the SDK of a cloud, installed next to furrow",
    hint: `Run npm install ${all.join(" ")} in the project that furrow is installed in, and run the command again`,
    cause: error,
  });
}
