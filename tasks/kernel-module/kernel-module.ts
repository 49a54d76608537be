import { absent, file, knownAfterApply, mayRefuse, onlyRead, peek, run, type Step, task } from "../../src/authoring.ts";
import { moduleRules } from "./module-rules.ts";
import { moduleName, type ModuleState, moduleState } from "./module-state.ts";
import { bootFolder, configFolder, ownPrefix } from "./own-files.ts";
import { type Params, params } from "./params.ts";
import { cannotLoad, cannotUnload, overruled } from "./refusals.ts";

/**
 * Keeps a kernel module loaded, now and at every boot, or unloaded or blacklisted. An initramfs that contains the
 * module has its own copy of modprobe.d. The task does not rebuild the initramfs, but adds a note if it is older than
 * the task's file.
 */
export const kernelModule = task({
  name: "kernelModule",
  summary: "Keep a kernel module loaded, now and at every boot, with its options, or unloaded or blacklisted",
  params,
  examples: [
    { name: "br_netfilter" },
    { name: "kvm_intel", options: { nested: true } },
    { name: "floppy", state: "blacklisted" },
  ],
  title: (p) => `kernelModule ${p.name}${p.state === "loaded" ? "" : ` ${p.state}`}`,
  // Loading a module adds parameters, devices and dependencies; unloading it removes them.
  disturbs: () => ["kernelModule:*", "sysctl:**", "file:/dev/**", "block-device:**", "disks:*"],
  mayProvide: (p) => (p.state === "loaded" ? ["kernelModule:*", "sysctl:**", "file:/dev/**", "block-device:**"] : []),
})
  .facts((p) => ({
    module: mayRefuse(moduleState(p.name, p.state !== "loaded" ? ["users"] : hasOptions(p) ? ["parameters"] : [])),
    rules: mayRefuse(onlyRead(moduleRules(p.name))),
    boot: file(bootPath(p), ["sha256"]),
    config: file(configPath(p), ["sha256"]),
    bootFolder: file(bootFolder),
    configFolder: file(configFolder),
  }))
  .want((p, now) => {
    const { module } = now;
    const obstacle =
      (p.state === "loaded" ? cannotLoad(p, module) : cannotUnload(p, module)) ?? overruled(p, now.rules.rules);
    if (obstacle) return obstacle;
    const [boot, config] = [bootText(p, module), configText(p)];
    return {
      module: p.state === "loaded" ? { state: module.state === "builtin" ? "builtin" : "loaded" } : notLoaded(module),
      boot: boot === undefined ? absent : { type: "file", text: boot },
      config: config === undefined ? absent : { type: "file", text: config },
      bootFolder: boot === undefined ? undefined : { type: "directory" },
      configFolder: config === undefined ? undefined : { type: "directory" },
    };
  })
  // The options must exist before the module is loaded, and the blacklist before it is unloaded.
  .steps((p, { change, now }) => {
    const [boot, config] = [bootText(p, now.module), configText(p)];
    return [
      change.configFolder && folder(configFolder),
      change.config && save(configPath(p), config),
      change.bootFolder && folder(bootFolder),
      change.boot && save(bootPath(p), boot),
      change.module &&
        (p.state === "loaded" ? run`modprobe -- ${moduleName(p.name)}` : run`rmmod ${moduleName(p.name)}`),
    ];
  })
  .notes((p, now) => {
    const copy = configText(p) === undefined ? "" : peek(now.module, "staleInitramfs");
    const stale = typeof copy === "string" && copy !== "" ? [staleNote(p, copy)] : [];
    if (!hasOptions(p)) return stale;
    const parameters = peek(now.module, "parameters");
    if (parameters === undefined || parameters === knownAfterApply) return stale;
    const old = Object.entries(p.options ?? {}).flatMap(([name, value]) => {
      const running = parameters[name];
      return running === undefined || isSameValue(running, String(value))
        ? []
        : [`${name} is still ${running}; it becomes ${String(value)} when ${p.name} is loaded again, such as at boot`];
    });
    return [...old, ...stale];
  });

/**
 * furrow's own file with the module that is loaded at boot. A file `NAME.conf` may belong to a package or to an
 * administrator; and if it were in /etc, it would hide a package's file of the same name (modules-load.d(5)).
 */
function bootPath(p: Params): string {
  return `${bootFolder}/${ownPrefix}${moduleName(p.name)}.conf`;
}

/** furrow's own file with the module's options or its blacklist (modprobe.d(5)). */
function configPath(p: Params): string {
  return `${configFolder}/${ownPrefix}${moduleName(p.name)}.conf`;
}

/**
 * The text of the file in modules-load.d; undefined if the module is not loaded at boot, or does not need to be loaded.
 */
function bootText(p: Params, module: ModuleState): string | undefined {
  return p.state === "loaded" && p.persist && module.state !== "builtin" ? `${moduleName(p.name)}\n` : undefined;
}

/**
 * The text of the file in modprobe.d; undefined if the file is not needed. `blacklist` alone only stops hardware from
 * loading the module; `install` also stops users, and modules that depend on it (modprobe.d(5)).
 */
function configText(p: Params): string | undefined {
  const name = moduleName(p.name);
  if (p.state === "blacklisted") return `blacklist ${name}\ninstall ${name} /bin/false\n`;
  if (!hasOptions(p)) return undefined;
  const options = Object.entries(p.options ?? {}).map(([option, value]) => `${option}=${String(value)}`);
  return `options ${name} ${options.join(" ")}\n`;
}

/** An initramfs may load the module with its own copy of modprobe.d, before the host's files can be read. */
function staleNote(p: Params, initramfs: string): string {
  const rebuild = initramfs.startsWith("/boot/initrd.img-") ? "update-initramfs -u" : "dracut --force";
  return (
    `${initramfs} is older than ${configPath(p)}: if it contains ${p.name}, ` +
    `boots ignore this file until the initramfs is rebuilt, for example with ${rebuild}`
  );
}

function hasOptions(p: Params): p is Extract<Params, { readonly state: "loaded" }> {
  return p.state === "loaded" && Object.keys(p.options ?? {}).length > 0;
}

/** A module that the kernel does not have is not loaded either. */
function notLoaded(module: ModuleState): { readonly state: ModuleState["state"] } {
  return { state: module.state === "missing" ? "missing" : "unloaded" };
}

/** The kernel shows a flag as Y or N, however it was set. */
function isSameValue(running: string, value: string): boolean {
  const plain = (text: string): string => (/^(y|1|on)$/i.test(text) ? "1" : /^(n|0|off)$/i.test(text) ? "0" : text);
  return plain(running) === plain(value);
}

function folder(path: string): Step {
  return { step: "makeDirectory", path, parents: false, mode: "0755" };
}

function save(path: string, text: string | undefined): Step {
  return text === undefined
    ? { step: "remove", path, recursive: false }
    : { step: "writeFile", path, text, mode: "0644" };
}
