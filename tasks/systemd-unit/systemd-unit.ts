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
import { isPrefix, isTemplate, unitInstances } from "./instances.ts";
import { type Params, params, unitText } from "./params.ts";
import { instancesInUse, inTheWay, inUse, isMask, masked, notAccepted, noUnit, packaged } from "./refusals.ts";
import { unitVerdict } from "./verdict.ts";

/**
 * Keeps a unit file or a drop-in in /etc/systemd/system, and makes systemd load it. Whether the unit runs and is
 * enabled is up to `service`, which restarts the unit if its `restartOn` lists this task.
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
    const isFamily = isTemplate(name) || (p.dropIn !== undefined && isPrefix(name));
    return {
      file: file(pathOf(p), ["text"]),
      ...(!isFamily && { unit: mayRefuse(unit(name), ["masked", "state", "enabled"]) }),
      ...(isFamily && { family: mayRefuse(onlyRead(unitInstances(name)), []) }),
      ...(p.dropIn !== undefined && {
        folder: file(dropInFolder(name)),
        own: mayRefuse(onlyRead(file(`/etc/systemd/system/${name}`)), ["type"]),
      }),
      ...(p.dropIn === undefined &&
        p.state === "present" && { packaged: packagePlaces(name).map((path) => mayRefuse(onlyRead(file(path)), [])) }),
      loaded: ran(`daemon-reload for ${name}`, ownDefinition(name)),
    };
  })
  .facts((_p, now) =>
    peek(now, "family") === knownAfterApply || now.family === undefined
      ? {}
      : { members: now.family.names.map((one) => mayRefuse(unit(one), ["state", "enabled"])) },
  )
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
    const isLate = now.unit !== undefined && now.unit !== absent && now.unit.outdated;
    const reloaded = isLate ? { outdated: false } : undefined;
    const late = now.members?.map((one) => one !== absent && one.outdated);
    const outdated = isLate || late?.includes(true) === true;
    if (p.state === "absent") {
      const use =
        p.dropIn !== undefined || now.file === absent
          ? undefined
          : now.unit !== undefined && now.unit !== absent
            ? inUse(name, now.unit)
            : isTemplate(name)
              ? instancesInUse(name, now.family?.names ?? [], now.members ?? [])
              : undefined;
      // A unit whose file was removed disappears as soon as systemd notices.
      const units = p.dropIn === undefined ? {} : { unit: reloaded, members: reloadedMembers(late) };
      return use ?? { file: absent, ...units, loaded: now.file === absent && !outdated ? undefined : true };
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
        members: reloadedMembers(late),
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
    (change.file ?? change.loaded ?? change.unit ?? change.members?.some(Boolean)) && run`systemctl daemon-reload`,
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

/**
 * The files that packages install for a unit and, for an instance, for its template; also in /lib, for hosts where /lib
 * is not a link to /usr/lib.
 */
function packagePlaces(name: string): readonly string[] {
  const names = new Set([name, name.replace(/@.*(?=\.\w+$)/, "@")]);
  return [...names].flatMap((one) =>
    ["/usr/lib", "/lib", "/usr/local/lib"].map((folder) => `${folder}/systemd/system/${one}`),
  );
}

/** The changes to the units of a template or prefix: units with an old definition get the new one. */
function reloadedMembers(
  late: readonly boolean[] | undefined,
): ({ readonly outdated: false } | undefined)[] | undefined {
  return late?.map((isLate) => (isLate ? { outdated: false } : undefined));
}

/** True if an earlier task, or a run that was stopped, has written the unit's own file. */
function isDefined(own: unknown): boolean {
  return typeof own === "object" && own !== null && "type" in own && own.type === "file";
}
