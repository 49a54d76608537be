import type { Frame, FrameItem, FrameListener, ItemResult, Session, StepsItem } from "../../src/core/host/frame.ts";
import { type RunStep, type Step, touchedPaths } from "../../src/core/host/step.ts";
import type { Outside, Program } from "../engine/programs.ts";
import { cellOf } from "./host-vocabulary.ts";
import { thingOf } from "./things.ts";

/**
 * A third party on a host that changes an object while a task works on it. The change is inserted into a frame directly
 * before or after the chosen step, so it happens at the same point regardless of what else the frame does. The answer
 * to the inserted change is removed from the results. The third party counts steps, not frames, so it acts at the same
 * step with every executor.
 */
export class ThirdParty {
  /** How many times the third party acted. */
  acted = 0;
  #met = 0;
  readonly #outside: Outside;
  readonly #wishes: Program["wishes"];

  constructor(outside: Outside, { wishes }: Program) {
    this.#outside = outside;
    this.#wishes = wishes;
  }

  /** The host's session with the third party's changes inserted. */
  on(session: Session): Session {
    return {
      user: session.user,
      frame: (frame, listener, signal) => this.#frame(session, frame, listener, signal),
      fetch: (step, signal) => session.fetch(step, signal),
      stats: () => session.stats(),
      close: () => session.close(),
    };
  }

  async #frame(
    session: Session,
    { items }: Frame,
    listener: FrameListener,
    signal: AbortSignal,
  ): Promise<readonly ItemResult[]> {
    const put = this.#place(items);
    const without = (result: ItemResult, index: number): ItemResult =>
      put && put.item === index ? withoutStep(result, put.step) : result;
    const heard: FrameListener = {
      ...listener,
      output: (output) => {
        const item = put && items[put.item];
        if (!put || !(item?.item === "steps" && item.task === output.task)) listener.output(output);
        else if (output.step !== put.step) {
          listener.output({ ...output, step: output.step > put.step ? output.step - 1 : output.step });
        }
      },
      ...(listener.item && { item: (index, result) => listener.item?.(index, without(result, index)) }),
    };
    const sent = items.map((item, index) =>
      put?.item === index && item.item === "steps"
        ? { ...item, steps: item.steps.toSpliced(put.step, 0, put.act) }
        : item,
    );
    const answered = await session.frame({ items: sent }, heard, signal);
    if (put) {
      const result = answered[put.item];
      if (result?.item === "steps" && (result.failed === undefined || result.failed.index > put.step)) this.acted += 1;
    }
    const results = answered.map(without);
    results.forEach((result, index) => {
      this.#met += begun(items[index], result).filter((step) => cellOf(step) !== undefined).length;
    });
    return results;
  }

  /**
   * The position in a frame at which the change is inserted; undefined if the frame does not contain the chosen step.
   */
  #place(items: readonly FrameItem[]): { item: number; step: number; act: RunStep } | undefined {
    let met = this.#met;
    for (const [item, part] of items.entries()) {
      if (part.item !== "steps") continue;
      for (const [step, one] of part.steps.entries()) {
        const name = cellOf(one);
        if (name === undefined || (met += 1) !== this.#outside.nth) continue;
        return { item, step: this.#outside.late ? step + 1 : step, act: this.#act(one, name) };
      }
    }
    return undefined;
  }

  #act(step: Step, name: string): RunStep {
    const { v, w } = this.#outside;
    const [path] = touchedPaths(step) ?? [];
    const script =
      path === undefined
        ? thingOf(name, this.#wishes).spoil(name, v)
        : `p=${path}; if [ -L $p ]; then ln -sfn ${w} $p; elif [ -d $p ]; then chmod 0711 $p; else printf 'v=%s\\nw=%s\\n' ${v} ${w} >$p; fi`;
    return { step: "run", argv: ["sh", "-c", script], okExit: [0, 1, 2] };
  }
}

function withoutStep(result: ItemResult, step: number): ItemResult {
  if (result.item !== "steps") return result;
  const { failed } = result;
  return {
    ...result,
    results: result.results.toSpliced(step, 1),
    ...(failed && { failed: { ...failed, index: failed.index > step ? failed.index - 1 : failed.index } }),
  };
}

/** The steps of an item that have begun. */
function begun(item: FrameItem | undefined, result: ItemResult): readonly StepsItem["steps"][number][] {
  if (item?.item !== "steps" || result.item !== "steps") return [];
  return item.steps.slice(0, result.failed === undefined ? item.steps.length : result.failed.index + 1);
}
