import { FurrowError } from "../../core/errors.ts";
import { isRecord } from "../../core/facts/symbols.ts";
import { type Api, ask, type Asked } from "./api.ts";
import { type Raw, textOf } from "./views.ts";

/** The lists that furrow reads: their key in a response, and the field by which furrow recognizes an entry. */
const namedBy = {
  droplets: "name",
  volumes: "name",
  ssh_keys: "name",
  firewalls: "name",
  sizes: "slug",
  regions: "slug",
} as const;

/** The number of entries per page: the API's maximum. */
const pageSize = 200;

/** The maximum number of pages in a list: without it, furrow would read forever if each page named a next one. */
const mostPages = 500;

/**
 * All entries of a list, which is below `key` in each response. An empty page does not end the list if the response
 * names a next page. Every response says in `meta.total` how many entries the whole list has: the specification
 * requires it of all lists, whereas `links` is optional (shared/meta.yml and shared/pages.yml). Throws FurrowError
 * E_DRIVER if the list is not complete, or if furrow cannot tell whether it is complete, because a resource that the
 * list lacks would count as absent.
 */
export async function listAll(
  api: Api,
  key: keyof typeof namedBy,
  { path, query, what }: Pick<Asked, "path" | "query" | "what">,
): Promise<readonly Raw[]> {
  const entries: Raw[] = [];
  for (let page = 1; page <= mostPages; page += 1) {
    const paging = { per_page: String(pageSize), page: String(page) };
    const answer = await ask(api, { method: "GET", path, query: { ...query, ...paging }, what });
    const { [key]: found, links, meta } = isRecord(answer) ? answer : {};
    if (!Array.isArray(found)) throw wrongAnswer(what, `the response contains no list "${key}"`);
    entries.push(...found.map((entry, at) => named(entry, key, entries.length + at + 1, what)));
    if (isRecord(links) && isRecord(links["pages"]) && links["pages"]["next"] !== undefined) continue;
    const total = isRecord(meta) ? meta["total"] : undefined;
    if (typeof total !== "number" || !Number.isInteger(total) || total < 0) {
      throw incomplete(what, "the response does not say how many entries the list has", 'a number in "meta.total"');
    }
    // An entry that appears twice must not hide the fact that another one is missing.
    const distinct = new Set(entries.map(({ id, slug }) => textOf(id) || textOf(slug))).size;
    if (distinct >= total) return entries;
    throw incomplete(what, `the list has ${distinct} of ${total} entries`);
  }
  throw incomplete(what, `the list has more than ${mostPages} pages`);
}

/** The resource below `key` in a response. Throws FurrowError E_DRIVER if the response contains none. */
export function partOf(answer: unknown, key: string, what: string): Raw {
  const part = isRecord(answer) ? answer[key] : undefined;
  if (isRecord(part)) return part;
  throw wrongAnswer(what, `the response contains no "${key}"`);
}

function named(entry: unknown, key: keyof typeof namedBy, number: number, what: string): Raw {
  const field = namedBy[key];
  if (isRecord(entry) && textOf(entry[field]) !== "") return entry;
  throw wrongAnswer(what, `entry ${number} of the list "${key}" has no ${field}`);
}

const hint = "Rerun; if it happens again, check DIGITALOCEAN_API_URL, and any proxy between this machine and the API";

function wrongAnswer(what: string, current: string): FurrowError {
  return new FurrowError("E_DRIVER", { what: `cannot ${what} at DigitalOcean`, current, hint });
}

function incomplete(what: string, current: string, expected?: string): FurrowError {
  return new FurrowError("E_DRIVER", {
    what: `cannot ${what} at DigitalOcean, because the API does not return the whole list`,
    current,
    ...(expected !== undefined && { expected }),
    hint,
  });
}
