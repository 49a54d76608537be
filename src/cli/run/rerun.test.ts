import { expect, test } from "vitest";
import { furrowCommand, rerunCommand } from "./rerun.ts";

const isSecret = (text: string): boolean => text.includes("s3cret");

test.each([
  ["run site.ts -i inventory.ts", "furrow run site.ts -i inventory.ts --limit @unfinished"],
  ["run site.ts -i a,b --limit web -v", "furrow run site.ts -i a,b -v --limit @unfinished"],
  ["run site.ts -lweb -i a --limit=db", "furrow run site.ts -i a --limit @unfinished"],
  [
    "run site.ts --var token=s3cret -e a=b -epw=s3cret --var=k=v",
    "furrow run site.ts --var token=… -e a=b -epw=… --var=k=v --limit @unfinished",
  ],
  ["run site.ts -e apiKey=abc", "furrow run site.ts -e apiKey=… --limit @unfinished"],
  [
    'run site.ts --var @prod.yaml -e {"pw":"s3cret"} -e {"a":1}',
    `furrow run site.ts --var @prod.yaml -e … -e '{"a":1}' --limit @unfinished`,
  ],
  [
    'run site.ts --var {"dbPassword":"hunter2"} --var={"db":[{"api_token":"hunt=er2"}]}',
    "furrow run site.ts --var … --var=… --limit @unfinished",
  ],
  [
    'run site.ts -e users=[{"password":"hunter2"}] -e users=[{"password":"hunter2" -e pw=hunter2',
    "furrow run site.ts -e users=… -e users=… -e pw=… --limit @unfinished",
  ],
  ["run site.ts -e url=https://ann:hunter2@host", "furrow run site.ts -e url=… --limit @unfinished"],
  ['run site.ts -e ports={"a":"b=c"}', `furrow run site.ts -e 'ports={"a":"b=c"}' --limit @unfinished`],
])("prints the command that reruns: %s", (line, command) => {
  expect(rerunCommand(line.split(" "), isSecret)).toBe(command);
});

test("quotes words that a shell would split", () => {
  expect(rerunCommand(["run", "my site.ts", "--start-at", "file /etc/it's"], isSecret)).toBe(
    String.raw`furrow run 'my site.ts' --start-at 'file /etc/it'\''s' --limit @unfinished`,
  );
});

test.each([
  ["/home/me/site/node_modules/.bin/furrow", "npx furrow"],
  ["/home/me/.npm/_npx/a1b2/node_modules/.bin/furrow", "npx furrow"],
  ["/usr/local/bin/furrow", "furrow"],
  ["/home/me/furrow/bin/furrow.js", "furrow"],
  [undefined, "furrow"],
])("if furrow was started as %s, names this command for the user to paste: %s", (program, command) => {
  expect(furrowCommand(program)).toBe(command);
  expect(rerunCommand(["run", "site.ts"], isSecret, command)).toBe(`${command} run site.ts --limit @unfinished`);
});
