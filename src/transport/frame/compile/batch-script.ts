import { shellQuote } from "../../../core/host/step.ts";
import { placeBatch } from "../on-host/sent/place-batch.ts";
import { receiveBatch } from "../on-host/sent/receive-batch.ts";
import { type Batch, batchFolder } from "./batch.ts";

/** The script that receives a batch on the host, as one compound command (on-host/receive-batch.sh). */
export function batchScript({ top, folders }: Batch, nonce: string): string {
  return `{ n=${nonce}; set -- ${[top, ...folders].map(shellQuote).join(" ")}\n${receiveBatch}\n}\n`;
}

/**
 * Compiles the steps of a batch: all of them together or, if that is not possible on the host, one by one. `item` is
 * the number of the item that these steps belong to.
 */
export function compileBatch(batch: Batch, item: number): string {
  const { top, first, entries } = batch;
  const sums = entries.map(({ name, sha256 }) => shellQuote(`${sha256}  ./${name}`));
  const half = Math.floor(sums.length / 2);
  const alone = entries.map(({ step, name, sha256 }, index) => {
    const stamp = (step.step === "upload" && step.stamp) || "";
    const words = [top, name, step.path, sha256, stamp, step.mode ?? "", step.owner ?? "", step.group ?? ""];
    return `_fi='${item} ${first + index}'; _fc() { _fpi ${words.map(quoteAlways).join(" ")}; }; _fx 0 || { _fz=1; break; }`;
  });
  const numbers = entries.map((_, index) => first + index).join(" ");
  const remove = `rm -rf -- ${shellQuote(`${top}/${batchFolder}`)}`;
  return `${placeBatch}
_fb2() { printf '%s\\n' ${sums.slice(half).join(" ")}; }
_fb1() { printf '%s\\n' ${sums.slice(0, half).join(" ")}; }
if ( trap - TERM; set -f; ${placesOf(batch).join(" && ")} ) </dev/null >/dev/null 2>&1; then
for _k in ${numbers}; do printf '%s S ${item} %s 0\\n' "$_fn" "$_k"; done
else
${alone.join("\n")}
fi
${remove}`;
}

function placesOf({ top, folders, entries }: Batch): string[] {
  const sets = new Map<string, Map<string, string[]>>();
  for (const { step, name } of entries) {
    const [number = "", file = ""] = name.split("/");
    const { mode = "", owner = "", group = "" } = step;
    const set = [mode, owner, group].map(quoteAlways).join(" ");
    const place = [folders[Number(number)] ?? "", number].map(quoteAlways).join(" ");
    const places = sets.get(set) ?? new Map<string, string[]>();
    sets.set(set, places.set(place, [...(places.get(place) ?? []), file]));
  }
  const calls = [...sets].flatMap(([set, places]) => [
    ...[...places].map(([place, names]) => `_fpl ${set} ${place} ${names.join(" ")}`),
    `_fpc ${set}`,
    ...[...places.keys()].map((place) => `_fpn ${place}`),
  ]);
  return [`_fpv ${shellQuote(top)}`, "_pl=", ...calls];
}

function quoteAlways(word: string): string {
  return word === "" ? "''" : shellQuote(word);
}
