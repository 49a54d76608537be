/** `npm run stop`: removes the host that `npm start` created, and every other lab on this machine. */
import { labDown, labList } from "../src/lab/index.ts";

const labs = await labList();
for (const { name } of labs) {
  await labDown({ name });
  process.stdout.write(`removed the lab ${name}\n`);
}
if (labs.length === 0) process.stdout.write("there is no lab\n");
