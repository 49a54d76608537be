/** Exits the program with a message on stderr. */
export function fail(message: string, code: number): never {
  process.stderr.write(`${message}\n`);
  process.exit(code);
}

/** The port of each instance, or the name of its failure. */
function instances(): Readonly<Record<string, string | number>> {
  return JSON.parse(process.env["FURROW_TEST_INSTANCES"] ?? "{}") as Record<string, string | number>;
}

/** The port of one instance, or the name of its failure; the name `*` stands for all other instances. */
export function instanceNamed(name: string): string | number | undefined {
  const all = instances();
  return all[name] ?? all["*"];
}

/** Fails if an instance has the name of a failure in place of a port. */
export function failures(
  found: string | number | undefined,
  known: Readonly<Record<string, readonly [message: string, code: number]>>,
): void {
  const failure = known[String(found)];
  if (failure !== undefined) fail(...failure);
}

/** Reads pairs of an option and its value, without the dashes; fails on any other argument, as the programs do. */
export function optionsIn(words: readonly string[], known: readonly string[]): Readonly<Record<string, string>> {
  const options: Record<string, string> = {};
  for (let at = 0; at < words.length; at += 2) {
    const [name = "", value] = words.slice(at, at + 2);
    if (!known.includes(name) || value === undefined) fail(`unrecognized arguments: ${name}`, 2);
    options[name.slice(2)] = value;
  }
  return options;
}
