import type { EC2Client } from "@aws-sdk/client-ec2";
import { FurrowError } from "../../core/errors.ts";
import { type Ec2, told } from "./client.ts";

/** One of the SDK's functions that yield the pages of a list: `paginateDescribeVolumes`. */
type Pages<Input, Page> = (
  config: { readonly client: EC2Client },
  input: Input,
  http: Ec2["http"],
) => AsyncIterable<Page & { readonly NextToken?: string | undefined }>;

/**
 * All entries of a list, from all its pages. A page may be empty although others follow. `doing` describes the query:
 * `look for the volume web-data`. Throws FurrowError E_DRIVER if the query fails, if a response contains no list, or if
 * EC2 repeats a page's token.
 */
export function allOf<Input, Page, Entry>(
  ec2: Ec2,
  doing: string,
  pages: Pages<Input, Page>,
  input: Input,
  entriesIn: (page: Page) => readonly Entry[] | undefined,
): Promise<Entry[]> {
  const all = async (): Promise<Entry[]> => {
    const found: Entry[] = [];
    let token: string | undefined;
    for await (const page of pages({ client: ec2.client }, input, ec2.http)) {
      found.push(...listIn(entriesIn(page), doing));
      if (page.NextToken !== undefined && page.NextToken !== "" && page.NextToken === token) throw endless(doing);
      token = page.NextToken;
    }
    return found;
  };
  return told(ec2, doing, all());
}

/**
 * The list in a response from EC2. An empty list is present as an empty element: `<volumeSet/>`. A response without the
 * element says nothing about what exists; such a response can come from a proxy. Throws FurrowError E_DRIVER.
 */
export function listIn<Entry>(list: readonly Entry[] | undefined, doing: string): readonly Entry[] {
  if (list !== undefined) return list;
  throw new FurrowError("E_DRIVER", {
    what: `cannot ${doing}: the response is not an EC2 list`,
    current: "a response without the list",
    expected: "a list, which may be empty",
    hint: "Rerun; if it happens again, check AWS_ENDPOINT_URL, and any proxy between this machine and EC2",
  });
}

function endless(doing: string): FurrowError {
  return new FurrowError("E_DRIVER", {
    what: `cannot ${doing}: EC2's list does not end`,
    current: "two pages with the same token",
    hint: "Rerun: AWS reported an incomplete list",
  });
}
