import { absent, absolutePath, file, packageState, refuse, task, z } from "../../src/authoring.ts";

const params = z.strictObject({
  files: z
    .array(z.strictObject({ path: absolutePath(), package: z.string() }))
    .describe("Files that the roles use, each with its package"),
});

/**
 * Refuses a host on which an installed package does not have a file in the expected place: the roles would use a path
 * that does not exist. Packages that are not installed yet are not checked.
 */
export const packageFiles = task({
  name: "packageFiles",
  summary: "Refuse a host whose packages install their files where the roles do not expect them",
  params,
  examples: [],
  title: () => "installed packages have their files in the usual places",
})
  .facts((p) => ({
    packages: p.files.map((one) => packageState(one.package)),
    files: p.files.map(({ path }) => file(path)),
  }))
  .want((p, now) => {
    for (const [at, { path, package: name }] of p.files.entries()) {
      const isInstalled = (now.packages[at]?.version ?? absent) !== absent;
      if (!isInstalled || now.files[at] !== absent) continue;
      return refuse({
        code: "file-elsewhere",
        message: `the package ${name} is installed, but ${path} does not exist`,
        hint: `Find the file in the package's list (rpm -ql ${name}, or dpkg -L ${name}), and link it: ln -s PATH ${path}`,
      });
    }
    return {};
  })
  .steps(() => []);
