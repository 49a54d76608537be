/**
 * Runs many furrow commands in one process, in order, and prints the output and exit code of each as JSON. Started by
 * error-paths.host.test.ts with a JSON list of `{ words, env }` on stdin; the cases share only the secrets that furrow
 * has learned so far.
 */
import { text } from "node:stream/consumers";
import { main } from "../../src/cli/main.ts";

interface CommandLine {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const lines = JSON.parse(await text(process.stdin)) as readonly CommandLine[];
const seen: { code: number; output: string }[] = [];
const write = process.stdout.write.bind(process.stdout);
for (const { words, env } of lines) {
  const parts: string[] = [];
  const catchAll = (part: string | Uint8Array): boolean => parts.push(Buffer.from(part).toString()) > 0;
  process.stdout.write = catchAll;
  process.stderr.write = catchAll;
  Object.assign(process.env, env);
  const code = await main(words);
  for (const name of Object.keys(env)) delete process.env[name];
  seen.push({ code, output: parts.join("") });
}
write(JSON.stringify(seen));
