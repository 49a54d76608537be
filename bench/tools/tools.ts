import { ansible, mitogen } from "./ansible/ansible.ts";
import { cdist } from "./cdist/cdist.ts";
import { floor, pipelinedFloor } from "./floor/tool.ts";
import { furrowTool } from "./furrow/furrow.ts";
import { openssh } from "./openssh/openssh.ts";
import { rex } from "./rex/rex.ts";
import type { Tool } from "./tool.ts";

/** All tools, in the order of the table. */
export const tools: readonly Tool[] = [furrowTool, floor, pipelinedFloor, openssh, ansible, mitogen, cdist, rex];
