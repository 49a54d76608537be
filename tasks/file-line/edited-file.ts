import {
  absent,
  absolutePath,
  type Change,
  file,
  type HostFact,
  isSecret,
  mapTexts,
  mode,
  name,
  mayRefuse,
  onlyRead,
  peek,
  refuse,
  type Refusal,
  type Step,
  z,
} from "../../src/authoring.ts";
import { behindLinks, directoryObstacle, hiddenText, parentOf } from "../../src/facts/catalogue.ts";
import { acceptedFact, notAccepted, noValidator, validate } from "../file/accepted.ts";
import { contentRead } from "../file/content-read.ts";
import { noDirectory } from "../file/obstacle.ts";
import { ownerFacts, ownerRefusal, ownersOf } from "../file/owners.ts";

/** The schema for a regular expression given as a string. */
export const pattern = (): z.ZodType<string, string> =>
  z.string({ error: 'a regular expression as text, like "^PermitRootLogin"' }).superRefine((source, context) => {
    try {
      RegExp(source);
    } catch (error) {
      context.addIssue({
        code: "custom",
        message: `a regular expression; ${error instanceof Error ? error.message : ""}`,
      });
    }
  });

/** Params that are common to all tasks that edit a text file. */
export const editParams = {
  path: absolutePath().describe("Absolute path of the file on the host"),
  secret: z.boolean().default(false).describe("Never show the file's content; implied if the inserted text is secret"),
  validate: validate()
    .optional()
    .describe(
      "Command that must accept the new file before it replaces the old one; %s is its path; runs without a shell. Check mode runs it too, for files up to 1 MiB, so it must not change anything",
    ),
  create: z.boolean().default(false).describe("Create the file if it is missing, instead of refusing"),
  mode: mode().optional().describe('Octal mode in quotes, "0644"; unchanged if not given'),
  owner: name("a user", "www-data").optional().describe("Owning user, by name; unchanged if not given"),
  group: name("a group", "www-data").optional().describe("Owning group, by name; unchanged if not given"),
};

/** Params that set where new lines are inserted. */
export const anchorParams = {
  insertAfter: pattern()
    .optional()
    .describe(
      'New lines go after the last line that matches this regular expression; "EOF": at the end, which is the default',
    ),
  insertBefore: pattern()
    .optional()
    .describe('New lines go before the first line that matches this regular expression; "BOF": at the beginning'),
};

interface Edit {
  readonly path: string;
  readonly secret: boolean;
  readonly create: boolean;
  readonly validate?: readonly string[] | undefined;
  readonly mode?: string | undefined;
  readonly owner?: string | undefined;
  readonly group?: string | undefined;
}

/** A file and its content, as seen by a task that edits the file. */
export type EditedFile =
  | typeof absent
  | {
      readonly type: "file" | "directory" | "link" | "other";
      readonly mode: string;
      readonly owner: string;
      readonly group: string;
      readonly target?: string;
      readonly text?: string;
    };

/** Returns the facts of a task that edits a file: the file, and its directory if the file may have to be created. */
export function editFacts(
  p: Edit,
  put: string,
): { path: HostFact<EditedFile>; parent?: HostFact<EditedFile> } & ReturnType<typeof ownerFacts> {
  const path = p.secret || isSecret(put) ? file(p.path, ["hidden"], { secret: true }) : file(p.path, ["text"]);
  return {
    path,
    ...(p.create && { parent: mayRefuse(onlyRead<EditedFile>(file(parentOf(p.path))), ["type"]) }),
    ...ownerFacts(p),
  };
}

/**
 * The fact about the target of the file's directory, if the directory is a link and the file may have to be created.
 */
export function editBehind(
  p: Edit,
  now: { readonly path: EditedFile; readonly parent?: EditedFile | undefined },
): { behind?: readonly HostFact<EditedFile>[] } {
  const isThere = typeof peek(now, "path") === "object";
  return p.create && !isThere ? behindLinks([parentOf(p.path)], [peek(now, "parent")]) : {};
}

/** A function that changes a file's content, given the text to insert. */
export type ChangeText = (content: string, put: string) => string;

/** Returns the new content; undefined if the task refuses, or does not create the file. */
function editedText(p: Edit, path: EditedFile, put: string, change: ChangeText): string | undefined {
  if (path === absent) {
    if (!p.create) return undefined;
    const made = mapTexts([put], ([text]) => change("", text));
    return p.secret && !isSecret(made) ? hiddenText(p.path, made) : made;
  }
  return path.type === "file" ? mapTexts([path.text ?? "", put], ([old, text]) => change(old, text)) : undefined;
}

/** Returns the fact that shows whether the host's own program accepts the new content. */
export function editAccepted(
  p: Edit,
  path: EditedFile,
  put: string,
  change: ChangeText,
): ReturnType<typeof acceptedFact> {
  return p.validate === undefined ? {} : acceptedFact(p, path, editedText(p, path, put, change));
}

/**
 * Returns the wanted file: the requested attributes, and the content that `change` makes from the old content and the
 * inserted text. The old content is empty if the file is missing and may be created.
 */
export function editWant(
  p: Edit,
  now: {
    readonly path: EditedFile;
    readonly parent?: EditedFile | undefined;
    readonly behind?: readonly EditedFile[] | undefined;
    readonly accepted?: Parameters<typeof notAccepted>[2];
    readonly validator?: Parameters<typeof noValidator>[2];
  } & Parameters<typeof ownersOf>[1],
  put: string,
  change: ChangeText,
): { path?: object } | Refusal {
  const { path } = now;
  const nobody = ownerRefusal(p.path, p, now);
  if (nobody) return nobody;
  const unfit =
    p.validate &&
    (noValidator(p.path, p.validate, now.validator) ??
      notAccepted(p.path, p.validate, now.accepted, p.secret || isSecret(put)));
  if (unfit) return unfit;
  const own = { mode: p.mode, ...ownersOf(p, now) };
  if (path === absent) {
    if (!p.create) return noFile(p.path);
    const wrong = directoryObstacle([parentOf(p.path)], [now.parent], now.behind);
    if (wrong) return noDirectory(p.path, wrong);
    const hidden = p.secret || isSecret(put);
    return {
      path: {
        type: "file",
        ...own,
        ...(hidden && { mode: p.mode ?? "0600" }),
        text: editedText(p, path, put, change),
      },
    };
  }
  if (path.type !== "file") return noRegularFile(p.path, path);
  return { path: { type: "file", text: editedText(p, path, put, change), ...own } };
}

/** Returns the steps of a task that edits a file. */
export function editSteps(p: Edit, change: Change | undefined): Step[] {
  if (change === undefined) return [];
  const to = change.to as { readonly text: string; readonly mode?: string };
  const own = {
    ...(to.mode !== undefined && { mode: to.mode }),
    ...(p.owner !== undefined && { owner: p.owner }),
    ...(p.group !== undefined && { group: p.group }),
  };
  return change.paths.every((path) => path in own)
    ? [{ step: "setAttributes", path: p.path, ...own }]
    : [
        {
          step: "writeFile",
          path: p.path,
          text: to.text,
          replaces: contentRead(change.from),
          ...(p.validate && { validate: p.validate }),
          ...own,
        },
      ];
}

function noFile(path: string): Refusal {
  return refuse({
    code: "no-file",
    message: `${path} does not exist`,
    hint: "Create it in an earlier task, or set `create: true`",
  });
}

function noRegularFile(path: string, { type, target }: Exclude<EditedFile, typeof absent>): Refusal {
  return refuse({
    code: "no-regular-file",
    message: target === undefined ? `${path} is not a regular file` : `${path} is a link to ${target}`,
    current: type,
    expected: "file",
    hint: target === undefined ? "Name a regular file" : "Give the target of the link",
  });
}
