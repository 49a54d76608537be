import { isIPv4 } from "node:net";
import { globList } from "../../core/inventory/pattern-list.ts";
import { servicePort } from "../inventory/service-port.ts";
import type { Statement } from "./lines.ts";
import { allTokens, expandTokens, onlyTokens, type Tokens } from "./tokens.ts";

/** A lookup of one host in ssh_config, and the user who makes it. */
export interface SshQuestion {
  /** The name as given on the command line or in the inventory. */
  readonly name: string;
  /**
   * The requested user and port. They override the values in the file, and Match and tokens use them, as with `ssh -l`
   * and `ssh -p`.
   */
  readonly user?: string;
  readonly port?: number;
  readonly localUser: string;
  readonly home: string;
  /** The environment for `${NAME}` in paths. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Runs a `Match exec` command; true if it succeeds. Undefined if commands must not run. */
  readonly exec?: ((command: string) => boolean) | undefined;
}

/** The ssh_config options for one host: the words of each option's value, by keyword in lower case. */
export type SshOptions = ReadonlyMap<string, readonly string[]>;

/** Keywords that collect all values instead of keeping the first. */
const gathering = new Set(["identityfile", "certificatefile"]);

/**
 * Evaluates a configuration for one host as described in ssh_config(5): the first value wins, and Host and Match decide
 * which lines apply. `Match final` and CanonicalizeHostname cause a second pass, but no name is looked up to
 * canonicalize it. `Match exec` matches only if commands may run.
 */
export function optionsFor(configuration: readonly (readonly Statement[])[], question: SshQuestion): SshOptions {
  const pass = new Pass(question);
  for (const file of configuration) pass.file(file, true);
  if (pass.wantsFinal || isCanonicalized(pass.options)) {
    pass.final = true;
    for (const file of configuration) pass.file(file, true);
  }
  return pass.options;
}

function isCanonicalized(options: SshOptions): boolean {
  return /^(?:yes|true|always)$/i.test(options.get("canonicalizehostname")?.[0] ?? "no");
}

/**
 * The address of a host after HostName is applied to its name. Numbers in any form of inet_aton(3) become dotted
 * addresses. Throws E_FILE.
 */
export function hostNameOf(options: SshOptions, name: string): string {
  const given = options.get("hostname")?.[0];
  return dotted(given === undefined ? name : expandTokens(given, { h: name }));
}

/** `1234`, `127.1` and `0x7f000001` are addresses to ssh; the URL standard parses them the same way. */
function dotted(host: string): string {
  if (!/^[\da-fx.]+$/i.test(host) || !/(?:^|\.)(?:0x[\da-f]*|\d+)$/i.test(host)) return host;
  const url = URL.parse(`http://${host}`);
  return url !== null && isIPv4(url.hostname) ? url.hostname : host;
}

/** The values of tokens for these options; if `letters` is given, only of the tokens that it lists. Throws E_FILE. */
export function tokensFor(options: SshOptions, { name, localUser, home }: SshQuestion, letters?: string): Tokens {
  const tokens = allTokens({
    name,
    address: hostNameOf(options, name).toLowerCase(),
    user: options.get("user")?.[0] ?? localUser,
    port: portNumber(options.get("port")?.[0] ?? "22"),
    alias: options.get("hostkeyalias")?.[0],
    localUser,
    home,
  });
  return letters === undefined ? tokens : onlyTokens(tokens, letters);
}

function portNumber(port: string): number {
  return servicePort(port) ?? Number(port);
}

class Pass {
  readonly options = new Map<string, readonly string[]>();
  final = false;
  wantsFinal = false;
  readonly #question: SshQuestion;

  constructor(question: SshQuestion) {
    this.#question = question;
    if (question.user !== undefined) this.options.set("user", [question.user]);
    if (question.port !== undefined) this.options.set("port", [String(question.port)]);
  }

  /**
   * Evaluates a file. An included file applies only if its Include line does; its Host and Match blocks end with the
   * file.
   */
  file(statements: readonly Statement[], mayMatch: boolean): void {
    let active = mayMatch;
    for (const { keyword, words, included } of statements) {
      if (keyword === "host") active = mayMatch && globList(words, this.#name());
      else if (keyword === "match") active = mayMatch && this.#matches(words);
      else if (keyword === "include") for (const file of included) this.file(file, active);
      else if (active) this.#set(keyword, words);
    }
    // `Match final` causes a second pass even in an included file whose Include line does not apply.
    if (!mayMatch && statements.some(isFinal)) this.wantsFinal = true;
  }

  #set(keyword: string, words: readonly string[]): void {
    const before = this.options.get(keyword);
    if (before !== undefined && gathering.has(keyword)) {
      this.options.set(keyword, [...new Set([...before, ...words])]);
    } else if (before === undefined && !this.#isOtherWay(keyword)) {
      this.options.set(keyword, words);
    }
  }

  /**
   * True for ProxyJump if ProxyCommand is already set, and vice versa: the first of the two wins. `ProxyJump none`
   * counts as not set.
   */
  #isOtherWay(keyword: string): boolean {
    if (keyword === "proxyjump") return this.options.has("proxycommand");
    return keyword === "proxycommand" && (this.options.get("proxyjump")?.[0] ?? "none").toLowerCase() !== "none";
  }

  #matches(words: readonly string[]): boolean {
    // `host=web1` means the same as `host web1`.
    const queue = words.flatMap((word) => {
      const [, criterion, value] = /^(!?(?:host|originalhost|user|localuser|exec))=(.*)$/is.exec(word) ?? [];
      return criterion === undefined ? [word] : [criterion, ...(value === "" ? [] : [value ?? ""])];
    });
    let all = true;
    while (queue.length > 0) {
      const word = queue.shift() ?? "";
      const negated = word.startsWith("!");
      const answer = this.#criterion(word.slice(negated ? 1 : 0).toLowerCase(), queue, all);
      // A criterion that cannot be evaluated does not match, with or without `!`.
      if (answer === undefined || answer === negated) all = false;
    }
    return all;
  }

  #criterion(criterion: string, queue: string[], all: boolean): boolean | undefined {
    const { name, localUser, exec } = this.#question;
    switch (criterion) {
      case "all":
        return true;
      case "final":
        this.wantsFinal = true;
        return this.final;
      case "canonical":
        return this.final;
      case "host":
        return globList(list(queue).map(lower), hostNameOf(this.options, name).toLowerCase());
      case "originalhost":
        return globList(list(queue).map(lower), name.toLowerCase());
      case "user":
        return globList(list(queue), this.options.get("user")?.[0] ?? localUser);
      case "localuser":
        return globList(list(queue), localUser);
      case "tagged":
        return globList(list(queue), this.options.get("tag")?.[0] ?? "");
      case "exec": {
        const command = queue.shift() ?? "";
        // An earlier criterion failed, and in that case ssh does not run the command.
        if (!all) return false;
        return exec?.(expandTokens(command, tokensFor(this.options, this.#question)));
      }
      default:
        // localnetwork, sessiontype, …: furrow cannot evaluate these.
        queue.shift();
        return undefined;
    }
  }

  /** The name that `Host` is compared with; in the second pass, the result of HostName. */
  #name(): string {
    const { name } = this.#question;
    return this.final ? hostNameOf(this.options, name).toLowerCase() : name;
  }
}

function isFinal({ keyword, words }: Statement): boolean {
  return keyword === "match" && words.some((word) => /^!?final$/i.test(word));
}

function list(queue: string[]): string[] {
  return (queue.shift() ?? "").split(",");
}

function lower(pattern: string): string {
  return pattern.toLowerCase();
}
