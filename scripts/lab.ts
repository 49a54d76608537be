/**
 * Manages throwaway hosts without the other parts of furrow. Usage: `node scripts/lab.ts up [HOSTS] [--libvirt]
 * [--disks N] [--replace] [--name NAME]`, `list`, `down [--name NAME | --all]`.
 */
import { parseArgs } from "node:util";
import { isFurrowError } from "../src/core/errors.ts";
import { labDown, labList, labUp } from "../src/lab/index.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    name: { type: "string", default: "lab" },
    libvirt: { type: "boolean", default: false },
    all: { type: "boolean", default: false },
    disks: { type: "string", default: "0" },
    replace: { type: "boolean", default: false },
  },
});

try {
  await main(positionals[0] ?? "list");
} catch (error) {
  if (!isFurrowError(error)) throw error;
  const { what, current, expected, hint, details } = error.failure;
  console.error(
    [
      `${error.code}: ${what}`,
      current && `  current:  ${current}`,
      expected && `  expected: ${expected}`,
      hint && `  hint:     ${hint}`,
      ...(details ?? []),
    ]
      .filter(Boolean)
      .join("\n"),
  );
  process.exitCode = 1;
}

async function main(verb: string): Promise<void> {
  if (verb === "up") {
    const lab = await labUp({
      hosts: Number(positionals[1] ?? 1),
      name: values.name,
      libvirt: values.libvirt,
      disks: Number(values.disks),
      replace: values.replace,
      onProgress: (message) => console.error(message),
    });
    for (const host of lab.hosts)
      console.log(
        `ssh -i ${lab.identityFile} -o UserKnownHostsFile=${lab.knownHostsFile} ${host.user}@${host.address}  # ${host.name}`,
      );
    console.log(`${lab.directory}/lab.json`);
  } else if (verb === "down") {
    const names = values.all ? (await labList()).map(({ name }) => name) : [values.name];
    for (const name of names) await labDown({ name });
  } else if (verb === "list") {
    for (const lab of await labList())
      console.log(
        `${lab.name} ${lab.status} ${lab.image} ${lab.subnet} ${lab.hosts.map((host) => `${host.name}=${host.address}`).join(" ")}`,
      );
  } else {
    console.error(
      "usage: node scripts/lab.ts up [HOSTS] [--libvirt] [--name NAME] | list | down [--name NAME | --all]",
    );
    process.exitCode = 64;
  }
}
