import type { Refusal } from "../../src/authoring.ts";
import { fixed, fleeting, guarded } from "./obstacle.ts";

/** The desired state of a unit whose file an earlier task in the run creates. */
interface Asked {
  readonly name: string;
  readonly state?: "started" | "stopped" | undefined;
  readonly enabled?: boolean | undefined;
  readonly reloadOn: readonly unknown[];
}

/**
 * For check mode: refuses a unit that systemd does not know yet if, judging by the text of its file, the run could not
 * start or enable it. Without drop-ins, the file alone determines this (systemd.service(5), systemd.unit(5) [Install]).
 */
export function faultOfNewUnit(asked: Asked, text: string): Refusal | undefined {
  const settings = settingsOf(text);
  const last = (key: string): string => settings.findLast((one) => one.key === key)?.value ?? "";
  const isOneshot = last("Service.Type") === "oneshot" && !isTrue(last("Service.RemainAfterExit"));
  const refusesStart = isTrue(last("Unit.RefuseManualStart"));
  const isInstallable = settings.some(({ key, value }) => installing.has(key) && value !== "");
  return (
    (asked.state === "started" ? fleeting(asked, { lasting: !isOneshot }) : undefined) ??
    guarded({ ...asked, restartOn: [] }, { state: "stopped", refusesStart, refusesStop: false }) ??
    fixed(asked, { file: isInstallable ? "disabled" : "static", enabled: false })
  );
}

/** True for the words that systemd reads as true (systemd.syntax(7)). */
function isTrue(word: string): boolean {
  return /^(?:1|yes|y|true|t|on)$/i.test(word);
}

const installing: ReadonlySet<string> = new Set(
  ["WantedBy", "RequiredBy", "UpheldBy", "Alias", "Also"].map((key) => `Install.${key}`),
);

interface UnitSetting {
  /** Section and name: `Service.Type`. */
  readonly key: string;
  readonly value: string;
}

/**
 * Returns the settings in a unit file, in order (systemd.syntax(7)). A backslash at the end of a line joins the line to
 * the next one.
 */
function settingsOf(text: string): UnitSetting[] {
  let section = "";
  return text
    .replaceAll(/\\\n(?:[ \t]*[#;].*\n)*/g, " ")
    .split("\n")
    .flatMap((whole) => {
      const line = whole.trim();
      if (line === "" || line.startsWith("#") || line.startsWith(";")) return [];
      const header = /^\[(.*)\]$/.exec(line)?.[1];
      if (header !== undefined) section = header;
      const at = line.indexOf("=");
      if (header !== undefined || at < 0) return [];
      return [{ key: `${section}.${line.slice(0, at).trim()}`, value: line.slice(at + 1).trim() }];
    });
}
