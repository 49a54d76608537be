import { textOf } from "../../load/playbook/issues.ts";
import type { MergedHost, Settings } from "../../load/vars/precedence.ts";
import type { Paint } from "../../report/text/colours.ts";
import { safeLine } from "../../report/text/value.ts";
import { padded, widthOf } from "../../report/text/width.ts";
import { shownValue } from "./shown.ts";

/** Shows a host's groups, and its vars and connection settings with their origins. */
export function hostText(
  host: Pick<MergedHost, "name" | "groups" | "vars">,
  connection: Settings,
  paint: Paint,
): string {
  const rows = [...settingRows("", host.vars), ...settingRows("connection ", connection)];
  const name = Math.max(0, ...rows.map(([key]) => widthOf(key)));
  const value = Math.min(60, Math.max(0, ...rows.map(([, text]) => widthOf(text))));
  const lines = rows.map(
    ([key, text, origin]) => `  ${padded(key, name)}  ${padded(text, value)}  ${paint.dim(origin)}`,
  );
  const groups = host.groups.length === 0 ? "in no group" : `in ${host.groups.join(", ")}`;
  return `${[`${paint.strong(host.name)}  ${paint.dim(groups)}`, ...lines].join("\n")}\n`;
}

function settingRows(prefix: string, settings: Settings): [string, string, string][] {
  return Object.entries(settings).map(([key, { value, origin }]) => [
    prefix + safeLine(key),
    safeLine(textOf(shownValue(key, value))),
    safeLine(origin),
  ]);
}
