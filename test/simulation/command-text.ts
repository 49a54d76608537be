import { type FrameText, readFrame } from "./frame-text.ts";

/** Matches a command that a session's shell receives, without the function definitions. */
export const command = /(?:^|\n)\{ _fn=(\w+); (_flk && |! _ftv \w+ && _flk && |\{ _ftn \|\| _flk; \} && )?\{ /;
/** Matches the code in a session's first frame that reports on the session. */
export const hello = /\{ read -r _bt [^\n]*? "\$_bt" "\$_fdn" \$\$; /y;
/** Matches the code that tells the shell which session it belongs to. */
export const names = /(?:^|\n)_fR=(\w+); _fS=(\w+); _fH='([^']*)'; _fK=(\w)\n/;
/** Matches the code that names the run and the session to which an order applies. */
export const orders = /^\{ R=(\w+) S=(\w+)\b/;

/**
 * Parses a frame that the shell executes itself. `isAsked`: true if the shell runs the frame only after checking that
 * no other run has taken over the host.
 */
export function shellFrame(text: string): { readonly isAsked: boolean; readonly frame: FrameText } {
  const whole = text.replace(hello, "");
  const inner = whole.replace(/^(_ftq \w+ \|\| \{\n[^]*)\n\}(\n\}\n\}\n)$/, "$1$2");
  const frame = readFrame(inner.slice(inner.indexOf("{ _fn="), inner.lastIndexOf("\n}\n}\n") + 1));
  return { isAsked: inner.startsWith("_ftq"), frame };
}
