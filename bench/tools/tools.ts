import { ansible, mitogen } from "./ansible/ansible.ts";
import { floor } from "./floor/tool.ts";
import { furrowTool } from "./furrow/furrow.ts";
import { openssh } from "./openssh/openssh.ts";
import type { Tool } from "./tool.ts";

/** All tools, in the order of the table. */
export const tools: readonly Tool[] = [furrowTool, floor, openssh, ansible, mitogen];
