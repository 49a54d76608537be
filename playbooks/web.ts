/** A web server with one page: the playbook that README.md shows. */
import { playbook } from "furrow";
import * as t from "furrow/tasks";

const tasks = [
  t.package({ name: "nginx" }),
  t.file({ path: "/srv/index.html", content: "Hello from furrow\n" }),
  t.service({ name: "nginx", state: "started", enabled: true }),
];
export default playbook({ name: "A web server", plays: [{ hosts: "web*", become: true, tasks: () => tasks }] });
