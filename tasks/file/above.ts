import { absent, file, type HostFact, mayRefuse, onlyRead, type Refusal } from "../../src/authoring.ts";
import { behindLinks, directoryObstacle, type FileValue, parentOf } from "../../src/facts/catalogue.ts";
import { directoriesAbove, noDirectory } from "./obstacle.ts";

/** The values of the facts about the directories above a path. */
interface Above {
  readonly above?: readonly FileValue[] | undefined;
  readonly behind?: readonly FileValue[] | undefined;
}

/**
 * Returns the facts about the ancestors of a directory, for a task that creates the directory together with its
 * parents; none if the directory exists. `found` is the fact about the directory.
 */
export function aboveFacts(path: string, found: unknown): { readonly above?: readonly HostFact<FileValue>[] } {
  return found === absent
    ? { above: directories(path).map((above) => mayRefuse(onlyRead(file(above)), ["type"])) }
    : {};
}

/** Returns the facts about the targets of links among these directories; for the stage after {@link aboveFacts}. */
export function behindAbove(path: string, { above }: Above): { readonly behind?: readonly HostFact<FileValue>[] } {
  return above === undefined ? {} : behindLinks(directories(path), above);
}

/** Refuses to create a directory below something that cannot contain it, such as a dangling link. */
export function aboveRefusal(path: string, { above = [], behind }: Above): Refusal | undefined {
  const wrong = directoryObstacle(directories(path), above, behind, true);
  return wrong && noDirectory(path, wrong);
}

function directories(path: string): readonly string[] {
  return [...directoriesAbove(path), parentOf(path)];
}
