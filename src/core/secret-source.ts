import { pendingSecret, type Secret } from "./secret.ts";

/** Secrets by where their value comes from. Values are read once, before the run; a prompt is asked before it too. */
export const secret = {
  /** The value of an environment variable of the controller. */
  env: (variable: string): Secret => pendingSecret({ from: "env", variable }, variable),
  /** The content of a file of the controller, without a last newline. */
  file: (path: string): Secret => pendingSecret({ from: "file", path }, path),
  /** What a person types, without echo. */
  prompt: (question: string): Secret => pendingSecret({ from: "prompt", question }, question),
};

/** How a generated secret is made. */
export interface GeneratedOptions {
  /** Characters; default 32. */
  readonly length?: number;
  /** Characters to choose from; default letters and digits. */
  readonly alphabet?: string;
}

const lettersAndDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/**
 * A secret that is random once and the same ever after: kept on the controller, mode 0600, under its label. Check mode
 * makes one up without keeping it.
 */
export function generated(label: string, options: GeneratedOptions = {}): Secret {
  const { length = 32, alphabet = lettersAndDigits } = options;
  return pendingSecret({ from: "generated", label, length, alphabet }, label);
}
