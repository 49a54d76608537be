import { refuse, type Refusal } from "../../src/authoring.ts";
import type { ModuleRule } from "./module-rules.ts";
import { moduleName, type ModuleState } from "./module-state.ts";
import type { Loaded, Params } from "./params.ts";

/** Explains why the running kernel cannot load the module; undefined if it can. */
export function cannotLoad(p: Loaded, module: ModuleState): Refusal | undefined {
  if (module.state === "loaded") return undefined;
  if (module.state === "builtin") return p.options === undefined ? undefined : builtInOptions(p, module.kernel);
  if (module.state === "missing") return module.listed ? noModule(p.name, module) : noModules(p.name, module);
  return module.locked ? locked(p.name, "loads") : undefined;
}

/** Explains why the module cannot be unloaded; undefined if it is not loaded, or if nothing uses it. */
export function cannotUnload(p: Params, module: ModuleState): Refusal | undefined {
  if (module.state === "builtin") return builtIn(p, module.kernel);
  if (module.state !== "loaded") return undefined;
  if (module.locked) return locked(p.name, "unloads");
  if (module.references < 0) return cannotUnloadAny(p.name, module.kernel);
  if (module.interfaces.length + module.disks.length > 0) return driving(p.name, module);
  return module.references === 0 && module.holders.length === 0 ? undefined : inUse(p.name, module);
}

/** Refuses if a line of the host's configuration would undo the task's change; undefined if no line would. */
export function overruled(p: Params, rules: readonly ModuleRule[]): Refusal | undefined {
  if (p.state === "blacklisted") {
    const command = rules.find(({ line }) => isCommand(line) && !prevents(line));
    return command && otherCommand(p.name, command, "no command that could load it");
  }
  if (p.state === "unloaded") {
    const load = rules.find(({ line }) => line.startsWith("load "));
    return load && loadedElsewhere(p.name, load);
  }
  const forbidding = rules.find(({ line }) => forbids(line, p.persist));
  if (forbidding) return forbidden(p.name, forbidding);
  const command = rules.find(({ line }) => isCommand(line) && !loads(p.name, line));
  if (command) {
    const load = `install ${moduleName(p.name)} /sbin/modprobe --ignore-install ${moduleName(p.name)} $CMDLINE_OPTS`;
    return otherCommand(p.name, command, `no command, or one that begins with ${load}`);
  }
  const other = Object.entries(p.options ?? {}).flatMap(([name, value]) => {
    const rule = rules.find(({ line }) => optionIn(line, name) !== undefined && optionIn(line, name) !== String(value));
    return rule ? [{ name, value: String(value), rule }] : [];
  })[0];
  return other && otherOption(p.name, other);
}

/**
 * An explicit modprobe ignores `blacklist`. systemd obeys it when it loads modules at boot (modules-load.d(5)), and the
 * kernel's own `module_blacklist` prevents every load.
 */
function forbids(line: string, atBoot: boolean): boolean {
  if (line.startsWith("module_blacklist=")) return true;
  if (/^(blacklist |modprobe\.blacklist=)/.test(line)) return atBoot;
  return prevents(line);
}

/** True for a line that makes modprobe run a command instead of loading the module (modprobe.d(5)). */
function isCommand(line: string): boolean {
  return line.startsWith("install ");
}

/** True if the command does nothing, which prevents the module from being loaded. */
function prevents(line: string): boolean {
  return /^install \S+ (\/usr)?(\/bin\/)?(false|true)$/.test(line);
}

/** True if the command loads the module before anything else, as firewalld's does before it sets kernel parameters. */
function loads(name: string, line: string): boolean {
  const [, loaded = ""] =
    /^install \S+ (?:(?:\/usr)?\/s?bin\/)?modprobe (?:-[bqsv]+ |--(?:quiet|syslog|verbose) )*(?:-i|--ignore-install) (?:-[bqsv]+ |--(?:quiet|syslog|verbose) )*([\w-]+)(?: \$CMDLINE_OPTS)?(?: ?;.*| ?&&.*)?$/.exec(
      line,
    ) ?? [];
  return moduleName(loaded) === moduleName(name);
}

function optionIn(line: string, name: string): string | undefined {
  const words = line.startsWith("options ") ? line.split(" ").slice(2) : [];
  return words.findLast((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
}

function noModule(name: string, { kernel }: ModuleState): Refusal {
  return refuse({
    code: "no-module",
    message: `the running kernel has no module ${name}`,
    current: `neither in /lib/modules/${kernel} nor built in (uname -r: ${kernel})`,
    hint: "Check its spelling, or first install the package that contains it for this kernel",
    missing: `kernelModule:${name}`,
  });
}

function noModules(name: string, { kernel }: ModuleState): Refusal {
  return refuse({
    code: "no-modules",
    message: `the host has no modules for its running kernel, so ${name} cannot be loaded`,
    current: `no /lib/modules/${kernel}/modules.dep (uname -r: ${kernel})`,
    hint: "Reboot the host if its kernel was upgraded, or run depmod",
  });
}

function builtIn(p: Params, kernel: string): Refusal {
  return refuse({
    code: "built-in",
    message: `${p.name} is built into the kernel ${kernel}, so it can be neither unloaded nor blacklisted`,
    current: "built in",
    expected: p.state,
    hint: "Leave the task out for this host, or boot a kernel that has it as a module",
  });
}

function builtInOptions(p: Loaded, kernel: string): Refusal {
  const [[option, value] = ["", ""]] = Object.entries(p.options ?? {});
  return refuse({
    code: "built-in-options",
    message: `${p.name} is built into the kernel ${kernel}, which does not read options from /etc/modprobe.d`,
    current: "built in",
    expected: "a module",
    hint: `Set the kernel parameter ${p.name}.${option}=${String(value)} in the boot loader, and leave options out`,
  });
}

function locked(name: string, verb: "loads" | "unloads"): Refusal {
  return refuse({
    code: "modules-disabled",
    message: `the kernel ${verb} no modules until the next boot, so the state of ${name} cannot change`,
    current: "kernel.modules_disabled = 1",
    expected: "kernel.modules_disabled = 0",
    hint: "Find out what sets kernel.modules_disabled, then reboot the host and run this task before it is set",
  });
}

function cannotUnloadAny(name: string, kernel: string): Refusal {
  return refuse({
    code: "cannot-unload",
    message: `the kernel ${kernel} cannot unload modules, so ${name} stays loaded`,
    current: `no /sys/module/${name}/refcnt`,
    hint: 'Set state: "blacklisted" once a reboot has removed it, or boot another kernel',
  });
}

function inUse(name: string, { holders, references }: ModuleState): Refusal {
  const others = references - holders.length;
  const uses = [
    ...(holders.length === 0 ? [] : [`used by the modules ${holders.join(", ")}`]),
    ...(others > 0 ? [`referenced ${others === 1 ? "once" : `${others} times`} by programs, mounts or devices`] : []),
  ];
  const first = holders[0];
  return refuse({
    code: "module-in-use",
    message: `the module ${name} is in use`,
    current: uses.join(" and ") || `${references} references`,
    expected: "no users",
    hint:
      first === undefined
        ? "First stop whatever uses it: unmount its file systems, or stop the services that use its devices"
        : `Put kernelModule({ name: "${first}", state: "unloaded" }) before this task`,
  });
}

function driving(name: string, { interfaces, disks }: ModuleState): Refusal {
  const [first] = interfaces;
  const drives = [
    ...(interfaces.length === 0
      ? []
      : [
          `the network ${counted("interface", interfaces)}, which ${interfaces.length === 1 ? "is up or has an address" : "are up or have addresses"}`,
        ]),
    ...(disks.length === 0 ? [] : [`the ${counted("disk", disks)}, which ${disks.length === 1 ? "is" : "are"} in use`]),
  ];
  return refuse({
    code: "module-in-use",
    message: `the host would lose devices without the module ${name}`,
    current: `drives ${drives.join(", and ")}`,
    expected: "no device in use",
    hint:
      first !== undefined && interfaces.length + disks.length === 1
        ? `Take the interface down first, if the host remains reachable without it: ip link set dev ${first} down`
        : "Leave the task out for this host, or first move the host's network and data to other devices",
  });
}

function counted(noun: string, names: readonly string[]): string {
  return names.length === 1
    ? `${noun} ${names[0]}`
    : `${noun}s ${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;
}

function otherCommand(name: string, { file, line }: ModuleRule, expected: string): Refusal {
  return refuse({
    code: "install-command",
    message: `modprobe runs a command instead of loading ${name}, as configured in ${file}`,
    current: line,
    expected,
    hint: file.startsWith("/etc/")
      ? `Remove that line from ${file}`
      : `Override ${file} with a file of the same name in /etc/modprobe.d, without that line`,
  });
}

function loadedElsewhere(name: string, { file }: ModuleRule): Refusal {
  return refuse({
    code: "loaded-at-boot",
    message: `${file} loads ${name} at every boot`,
    current: `${name} in ${file}`,
    expected: "no line that loads it",
    hint: `Remove that line from ${file}, or set state: "blacklisted"`,
  });
}

function forbidden(name: string, { file, line }: ModuleRule): Refusal {
  return refuse({
    code: "blacklisted",
    message: `${file} prevents ${name} from being loaded`,
    current: line,
    expected: `no line that prevents it`,
    hint:
      file === "/proc/cmdline"
        ? "Remove it from the boot loader's configuration, and reboot the host"
        : `Remove that line from ${file}`,
  });
}

function otherOption(
  name: string,
  other: { readonly name: string; readonly value: string; readonly rule: ModuleRule },
): Refusal {
  return refuse({
    code: "other-option",
    message: `${other.rule.file} sets the option ${other.name} of ${name} to a different value`,
    current: other.rule.line,
    expected: `${other.name}=${other.value}`,
    hint: `Remove that option from ${other.rule.file}`,
  });
}
