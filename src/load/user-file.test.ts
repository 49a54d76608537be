import { expect, test } from "vitest";
import { importUserFile } from "./user-file.ts";

const inventory = { noun: "inventory", code: "E_INVENTORY", expected: "inventory({ … })" } as const;

test.each([
  ["10.77.1.11", "-i 10.77.1.11,"],
  ["root@10.77.1.11", "-i root@10.77.1.11,"],
  ["web1.example.org", "-i web1.example.org,"],
])(
  "a host given as the inventory %s was taken for a missing file, and nothing told of the comma",
  async (word, said) => {
    await expect(importUserFile(word, inventory)).rejects.toMatchObject({
      code: "E_INVENTORY",
      failure: { hint: expect.stringContaining(said) as string },
    });
  },
);

test.each(["hosts.ts", "inventory/prod.mjs", "some words"])("%s is no host: only the file is missed", async (word) => {
  await expect(importUserFile(word, inventory)).rejects.toMatchObject({
    failure: { hint: expect.not.stringContaining("comma") as string },
  });
});
