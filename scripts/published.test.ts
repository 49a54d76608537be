import { expect, it } from "vitest";
import { published } from "./published.ts";

it("points exports to compiled files, and omits cloud SDKs and fields that only the repository needs", () => {
  const manifest = {
    name: "furrow",
    private: true,
    exports: { ".": "./src/authoring.ts", "./package.json": "./package.json" },
    workspaces: ["bench"],
    scripts: { test: "x" },
    dependencies: { "@aws-sdk/client-ec2": "2", zod: "1" },
    devDependencies: { vitest: "1" },
    allowScripts: {},
  };
  expect(published(manifest)).toEqual({
    name: "furrow",
    exports: {
      ".": { types: "./src/authoring.d.ts", default: "./src/authoring.js" },
      "./package.json": "./package.json",
    },
    dependencies: { zod: "1" },
    peerDependencies: { "@aws-sdk/client-ec2": "2" },
    peerDependenciesMeta: { "@aws-sdk/client-ec2": { optional: true } },
  });
});
