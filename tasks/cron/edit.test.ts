import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Job, putJob, putVariable } from "./edit.ts";

const line = "*/2 * * * * /usr/bin/job --now";
const job: Job = { name: "job", line, as: "active" };
const block = `# furrow: job\n${line}\n`;

describe("putJob", () => {
  test.each([
    { title: "adds the job to an empty crontab", text: "", want: block },
    { title: "leaves an existing job alone", text: block, want: block },
    {
      title: "adds the job after other lines",
      text: "MAILTO=x\n1 1 * * * a\n",
      want: `MAILTO=x\n1 1 * * * a\n${block}`,
    },
    {
      title: "corrects the job in place",
      text: `# furrow: job\n5 5 * * * old\n1 1 * * * a\n`,
      want: `${block}1 1 * * * a\n`,
    },
    { title: "adopts an identical line that has no marker", text: `a\n${line}\nb\n`, want: `a\n${block}b\n` },
    {
      title: "adopts an identical line with different whitespace in its schedule",
      text: "*/2  *\t* * *   /usr/bin/job --now\n",
      want: block,
    },
    { title: "adopts an identical line that is commented out", text: `# ${line}\n`, want: block },
    {
      title: "does not adopt a line whose command has different whitespace",
      text: "*/2 * * * * /usr/bin/job  --now\n",
      want: `*/2 * * * * /usr/bin/job  --now\n${block}`,
    },
    { title: "collapses duplicates", text: `${line}\nx\n${line}\n${block}${block}`, want: `${block}x\n` },
    {
      title: "leaves another job with the same line alone",
      text: `# furrow: twin\n${line}\n`,
      want: `# furrow: twin\n${line}\n${block}`,
    },
    {
      title: "inserts the job below a marker without a job",
      text: "# furrow: job\n# furrow: b\n1 1 * * * b\n",
      want: `${block}# furrow: b\n1 1 * * * b\n`,
    },
    {
      title: "keeps a MAILTO= that someone put below the job's marker",
      text: `# furrow: job\nMAILTO=ops\n1 1 * * * a\n`,
      want: `${block}MAILTO=ops\n1 1 * * * a\n`,
    },
    {
      title: "keeps a note that someone put below the job's marker",
      text: `# furrow: job\n# why it runs so often\n`,
      want: `${block}# why it runs so often\n`,
    },
    {
      title: "adds a missing line break to the last line, which cron would otherwise not run",
      text: "1 1 * * * a",
      want: `1 1 * * * a\n${block}`,
    },
  ])("$title", ({ text, want }) => {
    expect(putJob(text, job)).toBe(want);
    expect(putJob(want, job)).toBe(want);
  });

  test("treats lines that run the replaced program as its own, regardless of their schedule", () => {
    const old = "/usr/local/bin/old";
    const text = `*/2 * * * * ${old} >>/var/log/old 2>&1\na\n#*/5 * * * * sh ${old}\n@reboot ${old}\n# see what ${old} does at night\n`;
    const rest = `# see what ${old} does at night\n`;
    expect(putJob(text, { ...job, replaces: old })).toBe(`${block}a\n${rest}`);
    expect(putJob(text, { ...job, replaces: old, line: undefined, as: "absent" })).toBe(`a\n${rest}`);
    expect(putJob(`# furrow: other\n@daily ${old}\n`, { ...job, replaces: old, as: "absent" })).toBe(
      `# furrow: other\n@daily ${old}\n`,
    );
    expect(putJob(`@daily ${old}er\n`, { ...job, replaces: old, as: "absent" })).toBe(`@daily ${old}er\n`);
  });

  test("keeps a disabled job commented out, and enables it again", () => {
    const disabled = putJob(block, { ...job, as: "disabled" });
    expect(disabled).toBe(`# furrow: job\n#${line}\n`);
    expect(putJob(disabled, job)).toBe(block);
  });

  test("removes a job by its name, or by its line if it has no marker", () => {
    expect(putJob(`a\n${block}b\n`, { name: "job", line: undefined, as: "absent" })).toBe("a\nb\n");
    expect(putJob(`a\n${line}\n`, { name: "job", line: undefined, as: "absent" })).toBe(`a\n${line}\n`);
    expect(putJob(`a\n${line}\n`, { ...job, as: "absent" })).toBe("a\n");
  });

  test("is idempotent, and touches only its own lines", () => {
    const lines = fc.constantFrom(line, `#${line}`, "# furrow: job", "# furrow: b", "1 1 * * * b", "# note", "A=1", "");
    const as = fc.constantFrom("active" as const, "disabled" as const, "absent" as const);
    fc.assert(
      fc.property(fc.array(lines, { maxLength: 8 }), as, (list, as) => {
        const text = list.map((part) => `${part}\n`).join("");
        const once = putJob(text, { ...job, as });
        expect(putJob(once, { ...job, as })).toBe(once);
        const others = (content: string): number => content.split("\n").filter((part) => part === "A=1").length;
        expect(others(once)).toBeGreaterThanOrEqual(others(text));
      }),
      { numRuns: 2000 },
    );
  });
});

/** A crontab without a final line break is always examined line by line, which is the slow path. */
test("gives the same result on the fast path and the slow path", () => {
  const lines = fc.constantFrom(line, `#${line}`, block.trimEnd(), "# furrow: job", "# furrow: b", "1 1 * * * b", "");
  const as = fc.constantFrom("active" as const, "disabled" as const, "absent" as const);
  const known = fc.constantFrom(line, undefined, "@daily b");
  const replaces = fc.constantFrom(undefined, "/usr/bin/job", "b");
  fc.assert(
    fc.property(fc.array(lines, { maxLength: 6 }), as, known, replaces, (list, as, line, replaces) => {
      const text = [...list, "# end"].join("\n");
      const wanted = { name: "job", line, as, replaces };
      expect(putJob(`${text}\n`, wanted)).toBe(putJob(text, wanted));
    }),
    { numRuns: 2000 },
  );
});

describe("putVariable", () => {
  test.each([
    { title: "inserts the variable at the top", text: "1 1 * * * a\n", value: "x", want: "M=x\n1 1 * * * a\n" },
    {
      title: "keeps comments at the top above the variable",
      text: "# about\n\n1 1 * * * a\n",
      value: "x",
      want: "# about\nM=x\n\n1 1 * * * a\n",
    },
    { title: "does not separate a marker from its job", text: block, value: "x", want: `M=x\n${block}` },
    {
      title: "corrects the variable in place, and keeps only one copy",
      text: "A=1\nM = y\n1 1 * * * a\nM=z\n",
      value: "x",
      want: "A=1\nM=x\n1 1 * * * a\n",
    },
    { title: "quotes an empty value", text: "", value: "", want: 'M=""\n' },
    { title: "removes the variable", text: "M=1\na\n", value: undefined, want: "a\n" },
  ])("$title", ({ text, value, want }) => {
    expect(putVariable(text, "M", value)).toBe(want);
    expect(putVariable(want, "M", value)).toBe(want);
  });
});
