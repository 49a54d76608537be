/** Names a run in a message. `words`: its id, its holder and its start time, as the host stores them. */
export function runText(words: string): string {
  const [run = "", holder = "somebody", since = "an unknown time"] = words.split(" ").filter((word) => word !== "");
  return `run ${run} by ${holder}, since ${since}`;
}
