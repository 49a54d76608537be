import { type FrameText, readFrame } from "./frame-text.ts";

/** A command that a session's shell receives, without the function definitions. */
export const command = /(?:^|\n)\{ _fn=(\w+); (_flk && |! _ftv \w+ && _flk && |\{ _ftn \|\| _flk; \} && )?\{ /;
/** What a session reports about itself with its first frame. */
export const hello = /\{ read -r _bt [^\n]*? "\$_bt" "\$_fdn" \$\$; /y;
/** Which session it is. */
export const names = /(?:^|\n)_fR=(\w+); _fS=(\w+); _fH='([^']*)'; _fK=(\w)\n/;
/** The folder of the session that the order is for. */
export const orders = /^\{ R=(\w+) S=(\w+)\b/;

/** A frame that the shell performs itself. `isAsked`: only if no other run has taken the host. */
export function attachedFrame(text: string): { readonly isAsked: boolean; readonly frame: FrameText } {
  const whole = text.replace(hello, "");
  const inner = whole.replace(/^(_ftq \w+ \|\| \{\n[^]*)\n\}(\n\}\n\}\n)$/, "$1$2");
  const frame = readFrame(inner.slice(inner.indexOf("{ _fn="), inner.lastIndexOf("\n}\n}\n") + 1));
  return { isAsked: inner.startsWith("_ftq"), frame };
}
