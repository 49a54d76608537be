import { expect, test } from "vitest";
import { rerunCommand } from "./rerun.ts";

test.each([
  ["run site.ts -i inventory.ts", "furrow run site.ts -i inventory.ts --limit @unfinished"],
  ["run site.ts -i a,b --limit web -v", "furrow run site.ts -i a,b -v --limit @unfinished"],
  ["run site.ts -lweb -i a --limit=db", "furrow run site.ts -i a --limit @unfinished"],
  [
    "run site.ts --var token=s3cret -e a=b -epw=x --var=k=v",
    "furrow run site.ts --var token=… -e a=… -epw=… --var=k=… --limit @unfinished",
  ],
  ["run site.ts --var @prod.yaml --var broken", "furrow run site.ts --var @prod.yaml --var … --limit @unfinished"],
])("prints the command that reruns: %s", (line, command) => {
  expect(rerunCommand(line.split(" "))).toBe(command);
});

test("quotes words that a shell would split", () => {
  expect(rerunCommand(["run", "my site.ts", "--start-at", "file /etc/it's"])).toBe(
    String.raw`furrow run 'my site.ts' --start-at 'file /etc/it'\''s' --limit @unfinished`,
  );
});
