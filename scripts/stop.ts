/**
 * `npm run stop`: removes the host that `npm start` created, and names the other labs on this machine. `-- --all` also
 * removes those.
 */
import { labDown, labList } from "../src/lab/index.ts";

const [word, ...more] = process.argv.slice(2);
if (more.length > 0 || (word !== undefined && word !== "--all")) {
  process.stderr.write("npm run stop takes only --all: npm run stop -- --all\n");
  process.exit(64);
}
const all = word === "--all";
const labs = await labList();
const removed = labs.filter(({ name }) => all || name === "start");
for (const { name } of removed) {
  await labDown({ name });
  process.stdout.write(`removed the lab ${name}\n`);
}
if (removed.length === 0) process.stdout.write("npm start has no host on this machine\n");
for (const { name } of labs.filter((lab) => !removed.includes(lab)))
  process.stdout.write(`kept the lab ${name}: remove it with furrow lab down --name ${name}\n`);
