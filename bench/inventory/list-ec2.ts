/** Lists all machines in the regions named as arguments, and prints their number and the cost as JSON. */
import { ec2Inventory } from "furrow/cloud";

const started = performance.now();
const regions = process.argv.slice(2);
const listing = await ec2Inventory({ regions, filters: { "tag:furrow": "*" }, groupBy: ["region"] }).list({
  signal: new AbortController().signal,
  folder: ".",
  notice: () => undefined,
  now: new Date(),
  cache: { remembered: (_key, _age, produce) => produce() },
});
const wallMs = performance.now() - started;
const megabytes = process.resourceUsage().maxRSS / 1024;
process.stdout.write(JSON.stringify({ hosts: Object.keys(listing.hosts).length, wallMs, megabytes }));
