import type { RunEvent } from "../core/events.ts";
import { cleanEvent } from "./clean-event.ts";
import { OutputLines } from "./text/output-lines.ts";
import type { Report } from "./report.ts";

/**
 * Wraps a report so that every text in every event is redacted and step output arrives in whole lines. Every report is
 * wrapped this way. An error in the report does not stop the run; `close` throws the first one.
 */
export function redacted(next: Report): Report {
  const lines = new OutputLines();
  let fault: { readonly error: unknown } | undefined;
  const pass = (event: RunEvent): void => {
    try {
      next.handle(cleanEvent(event));
    } catch (error) {
      fault ??= { error };
    }
  };
  return {
    handle(event) {
      if (event.type === "stepOutput") {
        const whole = lines.add(event);
        if (whole !== undefined) pass(whole);
        return;
      }
      const host = "host" in event ? event.host : undefined;
      if (host !== undefined || event.type === "runFinished") for (const rest of lines.flush(host)) pass(rest);
      pass(event);
    },
    async close() {
      for (const rest of lines.flush()) pass(rest);
      await next.close();
      if (fault !== undefined) throw fault.error;
    },
  };
}
