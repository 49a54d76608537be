import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { absent } from "../../core/facts/symbols.ts";
import { kindOf } from "../../core/facts/kind.ts";
import { type NftTable, nftTable, nftTableKind } from "./nft-table.ts";

/** Runs `before` in a new network namespace, and then reads the tables there. */
function read(shell: string, before: string): Record<string, string>[] {
  const questions = [nftTable("inet", "a", false), nftTable("ip", "nosuch", true)];
  const script = kindOf("nftTable").read(questions.map((question, number) => ({ ...question, number })));
  const output = execFileSync("unshare", ["-n", "sh", "-c", `${before}\nexec ${shell} -c "$1"`, "sh", script], {
    encoding: "utf8",
  });
  return questions.map((_, number) =>
    Object.fromEntries(
      output
        .split("\n")
        .filter((line) => line.startsWith(`${number} `))
        .map((line) => line.slice(2).split("=") as [string, string]),
    ),
  );
}

describe.each(["sh", "busybox sh", "bash"])("nftables tables in %s", (shell) => {
  test("are read as present or absent; without furrow's note, a table does not count as loaded by furrow", () => {
    const lines = read(shell, "nft add table inet a");
    const values = lines.map((line) => nftTableKind.parse(line, nftTable("inet", "a", false)) as NftTable);
    expect(values).toEqual([{ loaded: "" }, absent]);
    values.forEach((value, index) => {
      expect(nftTableKind.print?.(value, nftTable("inet", "a", false))).toEqual(lines[index]);
    });
  });
});
