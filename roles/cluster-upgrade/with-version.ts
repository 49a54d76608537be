import { type KubernetesAnswer, type Refusal, refuse } from "../../src/authoring.ts";
import { type Answers, hintFor, type ListName, lookAt, type Seen, unseenTexts } from "../cluster-answers/answers.ts";
import { lookAtObject } from "../cluster-answers/one-object.ts";
import { versionSetting } from "../identity/answers.ts";

/**
 * Makes a decision from complete lists and from the setting that stores the cluster's version. The setting's value is
 * undefined if the cluster does not have the setting. Unless all answers are complete, refuses and names everything
 * that could not be read.
 *
 * @param question what is unknown without the answers: `how far the upgrade has progressed`
 */
export function decideWithVersion<N extends ListName, W>(
  answers: Answers<N> & { readonly running: KubernetesAnswer },
  names: readonly N[],
  question: string,
  decide: (seen: Seen<N>, running: unknown) => W | Refusal,
): W | Refusal {
  const look = lookAt(answers, ...names);
  const setting = lookAtObject(answers.running, versionSetting);
  if ("seen" in look && "seen" in setting) return decide(look.seen, setting.seen?.["value"]);
  const lists = "unseen" in look ? look.unseen : [];
  const object = "unseen" in setting ? [setting.unseen] : [];
  return refuse({
    code: "cluster-not-seen",
    message: `cannot tell ${question}: ${[...unseenTexts(lists), ...object.map(({ message }) => message)].join("; ")}`,
    hint: hintFor([...lists, ...object][0]?.code ?? ""),
  });
}
