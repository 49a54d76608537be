import type { Block } from "../../../scripts/docs/blocks.ts";
import { pageBlocks } from "../../../scripts/docs/pages.ts";

/** The pages whose blocks are executed. */
export const pages = { clouds: "docs/guides/clouds.md", harvester: "docs/harvester.md" } as const;
/** One of the pages. */
export type Page = keyof typeof pages;

/**
 * The blocks that are not executed, and why: each page, the beginning of the block, and the reason. The list is closed:
 * a block of the pages that is neither executed here nor listed makes the last test fail.
 */
export const notExecuted: readonly (readonly [page: Page, start: string, reason: string])[] = [
  [
    "clouds",
    "npx furrow run playbooks/clouds/provision-aws.ts -i local --var region=eu-central-1 --var publicKey",
    "needs stand-ins for the clouds' programs: test/cloud/private/ runs it with other names",
  ],
  ["clouds", "azure-vms.ts", "test/cloud/azure/azure-inventory.cloud.test.ts lists the machines of a fake with it"],
  ["harvester", "   you                     cloud VM", "a drawing"],
  [
    "harvester",
    "without harvester-3 these would be lost",
    "a message; test/playbooks/replace-node.programs.test.ts expects it",
  ],
  ["harvester", "etcd snapshot on harvester-1", "a message; roles/power/snapshot.programs.test.ts expects it"],
  ["harvester", "sudo /opt/rke2/bin/rke2 etcd-snapshot prune", "a command for a real node: the stand-in has no etcd"],
  [
    "harvester",
    "sudo /opt/rke2/bin/rke2 server --cluster-reset",
    "a command for a real node: the stand-in has no etcd",
  ],
  [
    "harvester",
    "npx furrow run playbooks/harvester-replace-node.ts",
    "needs three nodes: npm run test:ha replaces one",
  ],
  [
    "harvester",
    "npx furrow check playbooks/harvester-upgrade.ts",
    "needs the next release's artifacts: test/playbooks/upgrade.long.test.ts upgrades a cluster",
  ],
];

/** The blocks that have been executed. */
export const executed = new Set<Block>();
/** All blocks of the pages. */
export const all = (Object.keys(pages) as Page[]).flatMap((page) =>
  pageBlocks(pages[page]).map((block) => ({ page, block })),
);

/** The only block of a page that begins with this text, or that shows this file. */
export function blockOf(page: Page, start: string): Block {
  const found = all.filter(
    (one) =>
      one.page === page && (one.block.name === start || one.block.text.trimStart().startsWith(start.trimStart())),
  );
  const [only] = found;
  if (only === undefined || found.length > 1) throw new Error(`${found.length} blocks of ${page} begin with ${start}`);
  return only.block;
}

/** Returns the block and counts it as executed. */
export function take(page: Page, start: string): Block {
  const block = blockOf(page, start);
  executed.add(block);
  return block;
}
