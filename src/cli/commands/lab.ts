import { defineCommand } from "../words/command.ts";
import { labDown, labList, labUp } from "../../lab/index.ts";
import { labNames } from "../../lab/list.ts";
import { labName } from "../../lab/options.ts";
import { positiveWhole } from "../run/request.ts";
import { usage } from "../words/arguments.ts";
import { FurrowError } from "../../core/errors.ts";
import { closest } from "../../core/closest.ts";
import { flagsOf } from "../words/flags.ts";
import { print, printJson, warn } from "../terminal.ts";

const verbs = ["up", "list", "down"];

/** Suggests valid arguments for `furrow lab up` if the given one is not a number; the user may have meant a name. */
export function upHint(hosts: string): string {
  return labName.test(hosts) ? `1 --name ${hosts}` : "1";
}

/** The `furrow lab up | list | down` command. */
export const command = defineCommand({
  args: flagsOf.lab,
  async run({ args }) {
    const name = args.name ?? "lab";
    switch (args.verb) {
      case "up": {
        const lab = await labUp({
          name,
          hosts:
            args.hosts === undefined
              ? 1
              : positiveWhole("the number of hosts", args.hosts, `furrow lab up ${upHint(args.hosts)}`),
          libvirt: args.libvirt ?? false,
          disks: args.disks === undefined || args.disks === "0" ? 0 : positiveWhole("--disks", args.disks),
          replace: args.replace ?? false,
          onProgress: warn,
        });
        if (args.json) printJson({ schema: 1, lab });
        else
          for (const host of lab.hosts) {
            print(
              `${host.name}  ssh -i ${lab.identityFile} -o UserKnownHostsFile=${lab.knownHostsFile} ${host.user}@${host.address}\n`,
            );
          }
        return 0;
      }
      case "list": {
        const labs = await labList();
        if (args.json) printJson({ schema: 1, labs });
        else if (labs.length === 0) print("no lab is up\n");
        else
          for (const lab of labs) {
            print(
              `${lab.name}  ${lab.status}  ${lab.hosts.map((host) => `${host.name} ${host.address}`).join(", ")}\n`,
            );
          }
        return 0;
      }
      case "down": {
        const known = await labNames();
        const names = args.all ? (await labList()).map((lab) => lab.name) : [name];
        // Even if the lab's folder was deleted by hand, its processes and mounts are removed.
        for (const each of names) await labDown({ name: each });
        const [missing] = names.filter((each) => !known.includes(each));
        if (missing !== undefined) throw noLab(missing, known);
        return 0;
      }
      default: {
        const near = closest(args.verb, verbs);
        throw usage("lab", `furrow lab does not know "${args.verb}"`, `Write furrow lab ${near ?? "up, list or down"}`);
      }
    }
  },
});

function noLab(name: string, known: readonly string[]): FurrowError {
  const near = closest(name, known);
  return new FurrowError("E_LAB", {
    what: `no lab is named "${name}"`,
    hint: near === undefined ? "Run furrow lab list to see all labs" : `Write --name ${near}`,
  });
}
