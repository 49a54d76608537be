import { file, task, z } from "../../src/authoring.ts";
import { fileText } from "../../src/facts/catalogue.ts";

const path = "/etc/nginx/nginx.conf";

/**
 * Replaces nginx's configuration for the nodes with one that serves only the sites of the distribution and of the
 * administrator. The configuration for the nodes names an address of their network; without that address, nginx cannot
 * start.
 */
export const nodesNotServed = task({
  name: "nodesNotServed",
  summary: "Replace nginx's configuration for the nodes with one that does not serve them",
  params: z.strictObject({ root: z.string().describe("The directory that was served to the nodes") }),
  examples: [],
  title: () => "nginx serves no nodes",
})
  .facts(() => ({ conf: file(path, ["text"]) }))
  .want(({ root }, { conf }) => {
    const text = fileText(conf);
    return isForNodes(text, root) ? { conf: { type: "file", text: plainConf(text) } } : {};
  })
  .steps(({ root }, { now: { conf } }) => {
    const text = fileText(conf);
    return [isForNodes(text, root) && { step: "writeFile", path, text: plainConf(text), mode: "0644" }];
  });

function isForNodes(text: string | undefined, root: string): text is string {
  return text?.includes(`    root ${root};\n`) ?? false;
}

/** A configuration like the one in Debian's and SUSE's packages, with the user from the existing configuration. */
function plainConf(existing: string): string {
  const user = /^user ([\w-]+);$/m.exec(existing)?.[1];
  return `${user === undefined ? "" : `user ${user};\n`}worker_processes auto;
pid /run/nginx.pid;
include /etc/nginx/modules-enabled/*.conf;

events {
  worker_connections 768;
}

http {
  include /etc/nginx/mime.types;
  default_type application/octet-stream;
  access_log /var/log/nginx/access.log;
  error_log /var/log/nginx/error.log;
  sendfile on;
  include /etc/nginx/conf.d/*.conf;
  include /etc/nginx/sites-enabled/*;
  include /etc/nginx/vhosts.d/*.conf;
}
`;
}
