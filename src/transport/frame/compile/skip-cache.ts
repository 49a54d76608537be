import type { Question } from "../../../core/facts/fact.ts";
import type { FrameItem } from "../../../core/host/frame.ts";
import { kindOf } from "../../../core/facts/kind.ts";

/** Makes an item's questions ignore the notes that furrow keeps on the host. */
export function distrusting(item: FrameItem): FrameItem {
  if (item.item === "read") return { ...item, questions: item.questions.map(distrusted) };
  if (item.item === "steps") return item;
  return { ...item, expected: item.expected.map((one) => ({ ...one, question: distrusted(one.question) })) };
}

function distrusted(question: Question): Question {
  return kindOf(question.kind).distrust?.(question) ?? question;
}
