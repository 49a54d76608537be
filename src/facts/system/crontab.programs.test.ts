import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { absent } from "../../core/facts/symbols.ts";
import { type KindAnswer, readKind } from "../../testing/read-kind.ts";
import { type Crontab, crontab, crontabKind } from "./crontab.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-crontab-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Answers like the crontab programs of Debian and cronie, for the user given with -u. */
writeFileSync(
  join(folder, "crontab"),
  String.raw`#!/bin/sh
case "$3" in
full) printf '# caf\351\n* * * * * a %% b\n\n';;
empty) ;;
none) echo "no crontab for none" >&2; exit 1;;
stranger) echo "crontab:  user \`stranger' unknown" >&2; exit 1;;
*) echo "cannot open the spool" >&2; exit 1;;
esac
`,
);
chmodSync(join(folder, "crontab"), 0o755);
writeFileSync(join(folder, "id"), "#!/bin/sh\necho root\n");
chmodSync(join(folder, "id"), 0o755);
const env = { PATH: [folder, process.env["PATH"]].join(delimiter) };
const questions = ["full", "empty", "none", "stranger", "broken"].map(crontab);

describe.each([{ shell: ["sh", "-c"] }, { shell: ["busybox", "sh", "-c"] }, { shell: ["bash", "-c"] }])(
  "the crontab kind in $shell.0",
  ({ shell }) => {
    test("reads crontabs byte for byte, and prints each crontab back as the lines that it was read from", async () => {
      const answers = await readKind(questions, { shell, env });
      expect(answers.map(({ value }) => value)).toEqual([
        { text: "# caf\udce9\n* * * * * a % b\n\n" },
        { text: "" },
        absent,
        absent,
        undefined,
      ]);
      expect(answers[4]?.unreadable).toContain("cannot open the spool");
      const readable = answers.slice(0, 4) as (KindAnswer & { value: Crontab })[];
      readable.forEach(({ value, lines }) => expect(crontabKind.print?.(value, crontab("x"))).toEqual(lines));
    });
  },
);

test("finds no crontabs on a host without the crontab program", async () => {
  const bare = { PATH: join(folder, "nothing") };
  const [answer] = await readKind([crontab("root")], { shell: ["/bin/sh", "-c"], env: bare });
  expect(answer?.value).toBe(absent);
});
