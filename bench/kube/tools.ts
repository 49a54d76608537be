import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Program } from "../measure/program.ts";
import { furrow } from "../tools/furrow/furrow.ts";

/** A program that applies a manifest. */
export interface KubeTool {
  readonly name: string;
  readonly program: (kubeconfig: string, manifest: string) => Program;
}

const ofFurrow: KubeTool = {
  name: "furrow",
  program: (kubeconfig, manifest) =>
    furrow(
      "run",
      join(import.meta.dirname, "playbook.ts"),
      "-i",
      "local",
      "--var",
      `kubeconfig=${kubeconfig}`,
      "--var",
      `manifest=${manifest}`,
    ),
};

const ofKubectl: KubeTool = {
  name: "kubectl",
  program: (kubeconfig, manifest) => ({
    argv: ["kubectl", `--kubeconfig=${kubeconfig}`, "apply", "--server-side", `--filename=${manifest}`],
  }),
};

/** The kubernetes.core collection, which applies all objects of a file in one task, with server-side apply. */
const ofAnsible: KubeTool = {
  name: "ansible",
  program: (kubeconfig, manifest) => {
    const playbook = `${manifest}.ansible.yml`;
    const apply = { apply: true, server_side_apply: { field_manager: "ansible" }, src: manifest, kubeconfig };
    const play = { hosts: "localhost", gather_facts: false, tasks: [{ "kubernetes.core.k8s": apply }] };
    writeFileSync(playbook, JSON.stringify([play]));
    return { argv: ["ansible-playbook", "-i", "localhost,", "-c", "local", playbook] };
  },
};

/** The tools that are installed on this machine. `left` says which are left out, and why. */
export function kubeTools(): { readonly tools: readonly KubeTool[]; readonly left: string } {
  const need = ["-c", "import kubernetes; print(kubernetes.__version__)"];
  const { status, stdout } = spawnSync("/usr/bin/python3", need, { encoding: "utf8" });
  const doc = spawnSync("ansible-doc", ["-l", "kubernetes.core"], { encoding: "utf8" });
  const has = status === 0 && Number(stdout.split(".")[0]) >= 12 && /kubernetes\.core\.k8s\b/.test(doc.stdout ?? "");
  return {
    tools: [ofFurrow, ofKubectl, ...(has ? [ofAnsible] : [])],
    left: has ? "" : "ansible is left out: kubernetes.core needs Debian's ansible and python3-kubernetes",
  };
}
