import {
  absent,
  file,
  knownAfterApply,
  mayRefuse,
  onlyRead,
  peek,
  ran,
  run,
  task,
  unit,
  unitName,
} from "../../src/authoring.ts";
import { dropInFolder, hasContent, ownDefinition } from "../../src/facts/catalogue.ts";
import { contentRead } from "../file/content-read.ts";
import { type Params, params, unitText } from "./params.ts";
import { inTheWay, inUse, isMask, masked, notAccepted, noUnit, packaged } from "./refusals.ts";
import { unitVerdict } from "./verdict.ts";

/**
 * Keeps a unit file or a drop-in in /etc/systemd/system, and makes systemd load it. Whether the unit runs and is enabled
 * is up to `service`, which takes this task in `restartOn`.
 */
export const systemdUnit = task({
  name: "systemdUnit",
  summary: "Keep a systemd unit or drop-in with these settings; service starts, enables and restarts it",
  params,
  examples: [
    {
      name: "backup.service",
      sections: {
        Unit: { Description: "Nightly backup", After: ["network-online.target", "srv.mount"] },
        Service: { Type: "oneshot", ExecStart: "/usr/local/bin/backup", PrivateTmp: true },
      },
    },
    {
      name: "nginx",
      dropIn: "10-limits",
      sections: { Service: { LimitNOFILE: 65_536, ExecStartPre: ["", "/usr/sbin/nginx -t"] } },
    },
    { name: "backup.service", state: "absent" },
  ],
  title: (p) => `systemdUnit ${unitName(p.name)}${p.dropIn === undefined ? "" : ` ${p.dropIn}`}`,
  // A reload also loads every other unit file that has changed.
  disturbs: () => ["unit:*", "file:/etc/systemd/system/**"],
})
  .facts((p) => {
    const name = unitName(p.name);
    return {
      file: file(pathOf(p), ["text"]),
      ...(isConcrete(name) && { unit: mayRefuse(unit(name), ["masked", "state", "enabled"]) }),
      ...(p.dropIn !== undefined && {
        folder: file(dropInFolder(name)),
        own: mayRefuse(onlyRead(file(`/etc/systemd/system/${name}`)), ["type"]),
      }),
      ...(p.dropIn === undefined &&
        p.state === "present" && { packaged: packagePlaces(name).map((path) => mayRefuse(onlyRead(file(path)), [])) }),
      loaded: ran(`daemon-reload for ${name}`, ownDefinition(name)),
    };
  })
  .facts((p, now) => {
    if (p.state === "absent" || peek(now, "file") === knownAfterApply) return {};
    const text = unitText(p.sections);
    return hasContent(now.file, text)
      ? {}
      : { verdict: unitVerdict({ unit: unitName(p.name), dropIn: p.dropIn, text }) };
  })
  .want((p, now) => {
    const [name, path] = [unitName(p.name), pathOf(p)];
    // A file in /etc also wins over a mask in /run or /usr/lib, so for the unit's own file only a mask in /etc counts.
    const isMasked =
      p.dropIn === undefined
        ? isMask(now.file)
        : p.state === "present" && (now.unit === undefined ? isMask(now.own) : now.unit !== absent && now.unit.masked);
    const obstacle = isMasked ? masked(name, p.dropIn !== undefined) : inTheWay(path, now.file);
    if (obstacle) return obstacle;
    const outdated = now.unit !== undefined && now.unit !== absent && now.unit.outdated;
    const reloaded = outdated ? { outdated: false } : undefined;
    if (p.state === "absent") {
      const use =
        p.dropIn === undefined && now.unit !== undefined && now.unit !== absent && now.file !== absent
          ? inUse(name, now.unit)
          : undefined;
      // A unit whose file is gone disappears as soon as systemd notices.
      const unit = p.dropIn === undefined && outdated && now.file === absent ? undefined : reloaded;
      return use ?? { file: absent, unit, loaded: now.file === absent && !outdated ? undefined : true };
    }
    if (p.dropIn !== undefined && now.unit === absent && !isDefined(now.own)) return noUnit(name);
    const hidden = now.packaged?.findIndex((found) => found !== absent) ?? -1;
    if (hidden >= 0) return packaged(name, packagePlaces(name)[hidden] ?? "");
    const verdict = peek(now, "verdict") === knownAfterApply ? undefined : now.verdict;
    const text = unitText(p.sections);
    const differs = !hasContent(now.file, text);
    return (
      notAccepted(path, verdict) ?? {
        file: { type: "file", text },
        folder: p.dropIn === undefined ? undefined : { type: "directory" },
        unit: reloaded,
        loaded: differs || outdated ? true : undefined,
      }
    );
  })
  .steps((p, { change, now }) => [
    change.folder && { step: "makeDirectory", path: dropInFolder(unitName(p.name)), parents: false, mode: "0755" },
    change.file &&
      (p.state === "present"
        ? {
            step: "writeFile",
            path: pathOf(p),
            text: unitText(p.sections),
            mode: "0644",
            replaces: contentRead(now.file),
          }
        : { step: "remove", path: pathOf(p), recursive: false }),
    (change.file ?? change.loaded ?? change.unit) && run`systemctl daemon-reload`,
  ])
  .notes((_p, now) => {
    const verdict = peek(now, "verdict");
    const said = typeof verdict === "object" ? peek(verdict, "said") : undefined;
    return typeof said === "object" ? said.map((line) => `systemd says: ${line}`) : [];
  });

function pathOf(p: Params): string {
  const name = unitName(p.name);
  return p.dropIn === undefined ? `/etc/systemd/system/${name}` : `${dropInFolder(name)}/${p.dropIn}.conf`;
}

/** The files of a unit that packages install; in /lib on hosts on which that is not a link to /usr/lib. */
function packagePlaces(name: string): readonly string[] {
  return ["/usr/lib", "/lib", "/usr/local/lib"].map((folder) => `${folder}/systemd/system/${name}`);
}

/** False for a template (`a@.service`) and for a prefix (`user-.slice`), which are not units that systemd can show. */
function isConcrete(name: string): boolean {
  return !/[@-]\.\w+$/.test(name);
}

/** True if an earlier task, or a run that was stopped, has written the unit's own file. */
function isDefined(own: unknown): boolean {
  return typeof own === "object" && own !== null && "type" in own && own.type === "file";
}
