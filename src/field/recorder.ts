import type { Driver, DriverLookup } from "../core/host/driver.ts";
import { FurrowError, isFurrowError } from "../core/errors.ts";
import { factId, type Question } from "../core/facts/fact.ts";
import type { Answer, Session } from "../core/host/frame.ts";
import { isRecord } from "../core/facts/symbols.ts";

/** Drivers whose answers a report contains. */
const kept = new Set(["http"]);
/** Drivers that can be queried because they only read data on the controller; their answers are not recorded. */
const harmless = new Set(["file", "manifest", "tree", "operator"]);

/** Records, during a check, the answers of one host and those of the controller's drivers. */
export class Recorder {
  /** The values by fact id; a fact that was requested with different facets has all of them. */
  readonly facts = new Map<string, unknown>();
  /** The controller's answers by driver and request. */
  readonly answers = new Map<string, unknown>();
  /** The facts that could not be read, each with the code of the error. */
  readonly unread = new Map<string, string>();

  /** Returns a session that behaves like this one, and records its answers. Refuses frames with steps. */
  session(session: Session): Session {
    return {
      user: session.user,
      frame: async (frame, listener, signal) => {
        if (frame.items.some(({ item }) => item === "steps")) throw changesNothing();
        const results = await session.frame(frame, listener, signal);
        for (const [at, item] of frame.items.entries()) {
          const result = results[at];
          if (item.item !== "read" || result?.item !== "read") continue;
          for (const [index, question] of item.questions.entries()) this.#answer(question, result.answers[index]);
        }
        return results;
      },
      fetch: () => Promise.reject(changesNothing()),
      stats: () => session.stats(),
      close: () => session.close(),
    };
  }

  /** The drivers that a report needs; all others refuse to answer, and no driver performs calls. */
  drivers(find: DriverLookup): DriverLookup {
    return async (name): Promise<Driver> => {
      if (!kept.has(name) && !harmless.has(name)) return refusing(name);
      const driver = await find(name);
      return {
        name,
        ...(driver.ahead && { ahead: (request) => driver.ahead?.(request) ?? [] }),
        read: async (request, signal) => {
          const id = factId({ driver: name, request });
          try {
            const answer = await driver.read(request, signal);
            if (kept.has(name)) this.answers.set(id, answer);
            return answer;
          } catch (error) {
            if (kept.has(name)) this.unread.set(id, isFurrowError(error) ? error.code : "E_BUG");
            throw error;
          }
        },
      };
    };
  }

  #answer(question: Question, answer: Answer | undefined): void {
    const id = factId(question);
    if (answer === undefined) return;
    if ("error" in answer) {
      this.unread.set(id, answer.error.code);
      return;
    }
    const before = this.facts.get(id);
    const both = isRecord(before) && isRecord(answer.value) ? { ...before, ...answer.value } : answer.value;
    this.facts.set(id, both);
    this.unread.delete(id);
  }
}

function changesNothing(): FurrowError {
  return new FurrowError("E_BUG", { what: "a field report was about to perform a step on the host" });
}

function refusing(name: string): Driver {
  return {
    name,
    read: () =>
      Promise.reject(
        new FurrowError("E_DRIVER", {
          what: `a field report does not query ${name}`,
          hint: "Run furrow check with the playbook to see this answer",
        }),
      ),
  };
}
