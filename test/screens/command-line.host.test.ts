import { afterAll, describe, expect, it } from "vitest";
import { expectOnPage } from "./on-page.ts";
import { playbookOf, Screens } from "./screens.ts";

const screens = new Screens(
  "On the command line",
  "The command line is checked before anything is loaded. The exit code is 64.",
);
screens.put("site.ts", playbookOf('file({ path: "/tmp/motd", content: "hello\\n" }, { tags: ["motd"] }),'));
afterAll(() => screens.remove());

describe("mistakes on the command line", () => {
  it.each<[title: string, args: string[], says: RegExp]>([
    ["A misspelled command", ["rnu", "site.ts"], /no command "rnu"[^]*Write furrow run/],
    ["A misspelled flag", ["run", "site.ts", "-i", "local", "--chek"], /no flag --chek[^]*Write --check/],
    ["A flag without its value", ["run", "site.ts", "-i", "--check"], /-i needs a value/],
    ["No inventory", ["run", "site.ts"], /no inventory is given[^]*-i web1,web2/],
    ["An invalid number", ["run", "site.ts", "-i", "local", "--forks", "many"], /--forks[^]*"many"/],
    ["A tag that no task has", ["check", "site.ts", "-i", "local", "--tags", "modt"], /selects no task[^]*--tags motd/],
    [
      "A task for --start-at that does not exist",
      ["check", "site.ts", "-i", "local", "--start-at", "file /tmp/mod"],
      /nowhere to start/,
    ],
    ["A task that is not in the catalogue", ["doc", "fiel"], /no task "fiel"[^]*furrow doc file/],
  ])("%s", async (title, args, says) => {
    const seen = await screens.play({ title, args });
    expect(seen.text).toMatch(says);
    expect(seen.code).toBe(64);
    expect(seen.stdout).toBe("");
  });

  it("A confirmation without a terminal", async () => {
    const text = playbookOf('file({ path: "/tmp/motd", state: "absent" }),').replace(
      "  plays:",
      '  confirm: ({ host }) => ({ lost: `the message of the day of ${host.name}`, typeBack: "motd" }),\n  plays:',
    );
    const title = "A confirmation without a terminal";
    const seen = await screens.play({ title, files: { "bye.ts": text }, args: ["run", "bye.ts", "-i", "local"] });
    expect(seen.text).toMatch(/asks for confirmation[^]*the message of the day of local[^]*Pass --yes/);
    expect(seen.code).toBe(64);
    expect(seen.stdout).toBe("");
  });

  it("the page matches these transcripts", async () => {
    await expectOnPage(screens, "1-command-line.md");
  });
});
