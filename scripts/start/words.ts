import chalk from "chalk";

/** Prints a heading between two parts of the demonstration. */
export function heading(text: string): void {
  process.stdout.write(`\n${chalk.bold(`── ${text} `)}${chalk.dim("─".repeat(Math.max(3, 96 - text.length)))}\n\n`);
}

/** Prints one line of explanation. */
export function say(text: string): void {
  process.stdout.write(`${chalk.dim(text)}\n`);
}
