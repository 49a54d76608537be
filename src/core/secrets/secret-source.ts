import { publicKeyOf } from "./openssh-key.ts";
import { pendingSecret, type Secret } from "./secret.ts";

/** Secrets by the source of their value. Values are read, and prompts are shown, once before the run. */
export const secret = {
  /** The value of an environment variable of the controller. */
  env: (variable: string): Secret => pendingSecret({ from: "env", variable }, variable),
  /**
   * The content of a file on the controller, without its final newline. A relative path is resolved against furrow's
   * working directory; `~` is the home directory.
   */
  file: (path: string): Secret => pendingSecret({ from: "file", path }, path),
  /** Text that the user types, without echo. */
  prompt: (question: string): Secret => pendingSecret({ from: "prompt", question }, question),
};

/** The options for generating a secret. */
export interface GeneratedOptions {
  /** Number of characters; default 32. */
  readonly length?: number;
  /** Characters to choose from; default: letters and digits. */
  readonly alphabet?: string;
}

const lettersAndDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/**
 * A random secret that is generated once and then reused: it is stored on the controller under its label, with mode
 * 0600. Check mode uses a random value without storing it.
 */
export function generated(label: string, options: GeneratedOptions = {}): Secret {
  const { length = 32, alphabet = lettersAndDigits } = options;
  return pendingSecret({ from: "generated", label, length, alphabet }, label);
}

/** An SSH key pair that furrow generates once and then reuses. */
export interface GeneratedKey {
  /** The public key, `ssh-ed25519 AAAA…`, as a line for `authorized_keys`. */
  readonly publicKey: Secret;
  /**
   * The private key, for a host's `identityFile` setting. This key is offered in addition to the keys that would be
   * offered without it.
   */
  readonly identityFile: string;
}

/** The prefix before the label of a generated key in `identityFile`. */
export const generatedKeyPrefix = "generated:";

/**
 * An SSH key pair (Ed25519) that is generated once and then reused: the private key is stored on the controller under
 * its label, with mode 0600. Check mode uses a temporary pair without storing it.
 */
export function generatedKey(label: string): GeneratedKey {
  const key = pendingSecret({ from: "generatedKey", label }, label);
  return { publicKey: key.map(publicKeyOf), identityFile: `${generatedKeyPrefix}${label}` };
}
