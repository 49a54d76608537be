import { glob } from "ssh-config";
import type { Statement } from "./ssh-config-lines.ts";
import { expandTokens } from "./ssh-config-tokens.ts";

/** Who asks, and for which host. */
export interface SshQuestion {
  /** The name as given on the command line or in the inventory. */
  readonly name: string;
  /** The user asked for, if any; it wins over the file and counts for `Match user`. */
  readonly user?: string;
  readonly localUser: string;
  readonly home: string;
  /** The environment that `${NAME}` in paths means. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What ssh_config says about one host: words by keyword in lower case. */
export type SshOptions = ReadonlyMap<string, readonly string[]>;

/** Keywords that gather values instead of keeping the first. */
const gathering = new Set(["identityfile"]);
/** Keywords of which every word counts; of the others OpenSSH takes one. */
const manyWords = new Set(["userknownhostsfile", "globalknownhostsfile"]);

/**
 * Evaluates a configuration for one host as ssh_config(5) says: the first value wins, Host and Match decide which lines
 * count, and `Match final` brings a second pass. `Match exec` never matches: reading a file must not run commands.
 */
export function optionsFor(configuration: readonly (readonly Statement[])[], question: SshQuestion): SshOptions {
  const pass = new Pass(question);
  for (const file of configuration) pass.file(file, true);
  if (pass.wantsFinal) {
    pass.final = true;
    for (const file of configuration) pass.file(file, true);
  }
  return pass.options;
}

class Pass {
  readonly options = new Map<string, readonly string[]>();
  final = false;
  wantsFinal = false;
  readonly #question: SshQuestion;

  constructor(question: SshQuestion) {
    this.#question = question;
    if (question.user !== undefined) this.options.set("user", [question.user]);
  }

  /** Goes through a file; what it includes counts only where the Include does, and its own Host and Match end with it. */
  file(statements: readonly Statement[], mayMatch: boolean): void {
    let active = mayMatch;
    for (const { keyword, words, included } of statements) {
      if (keyword === "host") active = mayMatch && glob([...words], this.#question.name);
      else if (keyword === "match") active = this.#matches(words) && mayMatch;
      else if (keyword === "include") for (const file of included) this.file(file, active);
      else if (active) this.#set(keyword, words);
    }
  }

  #set(keyword: string, words: readonly string[]): void {
    const values = manyWords.has(keyword) ? words.flatMap((word) => word.split(/\s+/)) : words;
    const before = this.options.get(keyword);
    if (before === undefined) this.options.set(keyword, values);
    else if (gathering.has(keyword)) this.options.set(keyword, [...new Set([...before, ...values])]);
  }

  #matches(words: readonly string[]): boolean {
    const queue = [...words];
    let all = true;
    while (queue.length > 0) {
      const word = queue.shift() ?? "";
      const negated = word.startsWith("!");
      const criterion = word.slice(negated ? 1 : 0).toLowerCase();
      const answer = this.#criterion(criterion, queue);
      if (answer === negated) all = false;
    }
    return all;
  }

  #criterion(criterion: string, queue: string[]): boolean {
    const { name, localUser } = this.#question;
    switch (criterion) {
      case "all":
        return true;
      case "final":
        this.wantsFinal = true;
        return this.final;
      case "canonical":
        return this.final;
      case "host":
        return glob(queue.shift() ?? "", this.hostName());
      case "originalhost":
        return glob(queue.shift() ?? "", name);
      case "user":
        return glob(queue.shift() ?? "", this.options.get("user")?.[0] ?? localUser);
      case "localuser":
        return glob(queue.shift() ?? "", localUser);
      default:
        // exec, localnetwork, tagged, …: nothing here can say that they hold.
        queue.shift();
        return false;
    }
  }

  hostName(): string {
    const { name } = this.#question;
    const given = this.options.get("hostname")?.[0];
    return given === undefined ? name : expandTokens(given, { h: name });
  }
}
