import type { AnyAuthMethod, AuthenticationType } from "ssh2";
import { FurrowError } from "../../../core/errors.ts";
import { reveal } from "../../../core/secrets/secret.ts";
import type { Address } from "../../../core/host/transport.ts";
import { filteredAgent } from "./agent.ts";
import { readIdentity } from "./identity.ts";
import type { Identity } from "./identity.ts";
import { outside } from "../../outside.ts";

interface Candidate {
  readonly label: string;
  readonly method: AuthenticationType;
  readonly auth: AnyAuthMethod;
}

/** The authentication of one connection: what it offers, in which order, and with what result. */
export interface Authentication {
  /** ssh2's authHandler. `allowed`, the server's list of methods, is null until the server first answers. */
  next(allowed: readonly AuthenticationType[] | null, partial: boolean | null): AnyAuthMethod | false;
  /** The labels of the candidates offered so far. */
  readonly offered: readonly string[];
  /** The label of the last candidate: after success, the one that the host accepted. */
  readonly current: string | undefined;
  /** True if the login that was accepted last time has been sent in full, and no other login has been sent. */
  readonly isAsLastTime: boolean;
  /** True once a password has been sent to the host: the attempt must then not be repeated blindly. */
  readonly sentPassword: boolean;
  /** As ssh does, excludes passwords from now on if the host's key has changed. `changed`: the error about the key. */
  withholdPasswords(changed: FurrowError | undefined): void;
  /** The error for a host that refused every login attempt. `reason` is the message from the host or from ssh2. */
  refused(reason: string | undefined): FurrowError;
}

/**
 * Collects the credentials for an address: identity files, the agent, the password. `first` is the label accepted last
 * time. Throws E_SECRET if the only key cannot be opened, E_AUTH if there are no credentials.
 */
export async function authentication(address: Address, first: string | undefined): Promise<Authentication> {
  const passphrase = address.passphrase === undefined ? undefined : reveal(address.passphrase);
  const identities = await Promise.all(address.identityFiles.map((path) => readIdentity(path, passphrase)));
  const offered: string[] = [];
  const candidates = await gather(address, identities, offered);
  if (candidates.length === 0) throw nothingToOffer(address, identities);
  candidates.sort((a, b) => Number(b.label === first) - Number(a.label === first));
  const notes = { lines: identities.flatMap(explain), missing: missingKey(identities) };
  return new Attempts(address, candidates, offered, notes, first, certificateOf(address));
}

async function gather(address: Address, identities: readonly Identity[], offered: string[]): Promise<Candidate[]> {
  const username = address.user;
  const candidates: Candidate[] = [];
  for (const { path, key } of identities) {
    if (key !== undefined) {
      candidates.push({ label: `key ${path}`, method: "publickey", auth: { type: "publickey", username, key } });
    }
  }
  if (address.agent !== undefined) {
    const agent = await filteredAgent(address.agent, {
      only: address.identitiesOnly ? identities.flatMap(({ publicKey }) => publicKey ?? []) : undefined,
      except: identities.flatMap(({ key }) => key?.getPublicSSH() ?? []),
      offering: (label) => offered.push(label),
    });
    candidates.push({ label: "agent", method: "publickey", auth: { type: "agent", username, agent } });
  }
  if (address.password !== undefined) {
    const password = reveal(address.password);
    candidates.push({ label: "password", method: "password", auth: { type: "password", username, password } });
    candidates.push({
      label: "password (keyboard-interactive)",
      method: "keyboard-interactive",
      auth: { type: "keyboard-interactive", username, prompt: answerOnce(password) },
    });
  }
  return candidates;
}

/**
 * Answers the first hidden prompt with the password and later ones with nothing: a second attempt could lock the
 * account.
 */
function answerOnce(password: string): Extract<AnyAuthMethod, { type: "keyboard-interactive" }>["prompt"] {
  let answered = false;
  return (_name, _instructions, _language, prompts, finish) => {
    finish(
      prompts.map(({ echo }) => {
        if (echo === true || answered) return "";
        answered = true;
        return password;
      }),
    );
  };
}

class Attempts implements Authentication {
  readonly offered: string[];
  sentPassword = false;
  readonly #address: Address;
  readonly #candidates: readonly Candidate[];
  readonly #notes: KeyNotes;
  readonly #tried = new Set<Candidate>();
  #current: Candidate | undefined;
  #allowed: readonly AuthenticationType[] | null = null;
  #changed: FurrowError | undefined;
  readonly #first: string | undefined;
  readonly #certificate: string | undefined;

  constructor(
    address: Address,
    candidates: readonly Candidate[],
    offered: string[],
    notes: KeyNotes,
    first: string | undefined,
    certificate: string | undefined,
  ) {
    this.#certificate = certificate;
    this.#first = first;
    this.#address = address;
    this.#candidates = candidates;
    this.offered = offered;
    this.#notes = notes;
  }

  get current(): string | undefined {
    return this.#current?.label;
  }

  get isAsLastTime(): boolean {
    const { auth } = this.#current ?? {};
    return (
      this.#tried.size === 1 &&
      this.current === this.#first &&
      (auth?.type === "publickey" || auth?.type === "password")
    );
  }

  next(allowed: readonly AuthenticationType[] | null, partial: boolean | null): AnyAuthMethod | false {
    this.#allowed = allowed ?? this.#allowed;
    if (partial === true && this.#current !== undefined) {
      // One of several required methods succeeded: methods tried too early may be needed now.
      this.#tried.clear();
      this.#tried.add(this.#current);
    }
    const next = this.#candidates.find((candidate) => !this.#tried.has(candidate) && this.#isWorthTrying(candidate));
    this.#current = next ?? this.#current;
    if (next === undefined) return false;
    this.#tried.add(next);
    if (next.auth.type !== "agent") this.offered.push(next.label);
    this.sentPassword ||= next.method === "password" || next.method === "keyboard-interactive";
    return next.auth;
  }

  withholdPasswords(changed: FurrowError | undefined): void {
    this.#changed = changed;
  }

  #isWorthTrying({ method }: Candidate): boolean {
    if (this.#changed !== undefined && method !== "publickey") return false;
    if (this.#allowed === null) return true;
    if (!this.#allowed.includes(method)) return false;
    // Sending the same wrong password by another method would only add to the host's count of failures.
    return method !== "keyboard-interactive" || !this.#allowed.includes("password");
  }

  refused(reason: string | undefined): FurrowError {
    const { user, address, name, identitiesOnly, password } = this.#address;
    if (this.#changed !== undefined && password !== undefined) return this.#changed;
    const tooMany = /too many authentication failures/i.test(reason ?? "");
    const hint = tooMany
      ? "Set IdentitiesOnly and specify the key for this host: the agent offers more keys than the host lets a client try"
      : this.#notes.missing !== undefined
        ? correctKey(this.#notes.missing)
        : this.#allowed?.includes("publickey") === true
          ? `Put the public key into ~${user}/.ssh/authorized_keys on the host, or specify another key or user`
          : "Provide credentials that the host allows: a key or a password";
    return new FurrowError("E_AUTH", {
      what: `${address} refuses the login of user ${user}`,
      where: { host: name },
      current: `offered ${this.offered.join(", ") || "nothing that the host allows"}`,
      expected: `one of: ${this.#allowed?.join(", ") ?? "the host did not say"}`,
      hint:
        this.#certificate !== undefined
          ? `Set transport: "openssh" for the host: ${this.#certificate} is a certificate, which only ssh itself can offer`
          : identitiesOnly && !tooMany
            ? `${hint} (only the configured keys are offered: IdentitiesOnly)`
            : hint,
      details: [...(reason === undefined ? [] : [reason]), ...this.#notes.lines],
    });
  }
}

/** What is known about the identity files that cannot be used. */
interface KeyNotes {
  readonly lines: readonly string[];
  /** The first identity file, if none of the specified files exists. */
  readonly missing: string | undefined;
}

function missingKey(identities: readonly Identity[]): string | undefined {
  return identities.every(({ problem }) => problem === "missing") ? identities[0]?.path : undefined;
}

function correctKey(path: string): string {
  return `Correct the path of the private key (identityFile): ${path} does not exist`;
}

/** A certificate that only ssh itself can offer. */
function certificateOf({ identityFiles, certificateFiles = [] }: Address): string | undefined {
  return [...certificateFiles, ...identityFiles.map((path) => `${path}-cert.pub`)].find((path) =>
    outside.existsSync(path),
  );
}

function explain({ path, problem, detail }: Identity): string[] {
  const sentences = {
    missing: "there is no such file",
    encrypted: "encrypted, and no passphrase was given",
    "wrong passphrase": "encrypted, and the given passphrase does not open it",
    "public only": "contains only a public key",
    unusable: detail ?? "unusable",
  };
  return problem === undefined ? [] : [`${path}: ${sentences[problem]}`];
}

function nothingToOffer(address: Address, identities: readonly Identity[]): FurrowError {
  const where = { host: address.name };
  const locked = identities.find(({ problem }) => problem === "wrong passphrase" || problem === "encrypted");
  if (locked !== undefined) {
    const wrong = locked.problem === "wrong passphrase";
    return new FurrowError("E_SECRET", {
      what: `the private key ${locked.path} cannot be opened`,
      where,
      current: wrong ? "the given passphrase does not open it" : "it is encrypted, and no passphrase was given",
      expected: "its passphrase, or an agent that holds the key",
      hint: "Set the host's passphrase, or load the key into an agent with ssh-add",
      details: identities.flatMap(explain),
    });
  }
  const missing = missingKey(identities);
  return new FurrowError("E_AUTH", {
    what: `no SSH key or password to log in to ${address.address} as ${address.user}`,
    where,
    current: "no usable private key, no agent, no password",
    expected: "one of them",
    hint:
      missing === undefined
        ? "Specify a private key (IdentityFile), start an agent, or set a password for the host"
        : correctKey(missing),
    details: identities.flatMap(explain),
  });
}
