/**
 * Modules and keywords of Ansible that no single task replaces, and what to use in furrow. Each suggestion begins with
 * a verb.
 */
const instead: Readonly<Record<string, string>> = {
  async:
    "Set timeoutSeconds on the task: a frame runs on the host and survives a lost connection, so nothing is polled",
  become: "Set become: true on the play, or become: a user's name on a play, a block or a task",
  become_user: "Set become: a user's name on a play, a block or a task",
  debug: "Use console.log for vars, and -v to see what commands print",
  docker_container: "Use command with an unless that inspects the container, or service for a unit that starts it",
  docker_compose_v2:
    "Use file for the compose file, and command with an unless that checks whether the containers match it",
  docker_image: "Use command with unless: docker image inspect",
  environment: "Use the env param of command: run furrow doc command",
  flush_handlers: "List the service at the point where it must restart, with restartOn: there are no handlers to flush",
  git: "Use command: git clone with creates, or git fetch and checkout with an unless that compares git rev-parse HEAD",
  handlers: "Use the restartOn or reloadOn param of service: run furrow doc service",
  import_role: "Call the role in the list of tasks",
  include_role: "Call the role in the list of tasks",
  include_tasks: "Write a function that returns tasks, and call it in the list of tasks",
  ini_file: "Use fileLine or fileBlock, or file with the whole content: run furrow doc fileLine",
  known_hosts:
    "Use hostKeys in the inventory for furrow's own connections, or fileLine for a file on a host: run furrow doc fileLine",
  meta: "List the service at the point where it must restart, with restartOn: there are no handlers to flush",
  notify: "Use the restartOn or reloadOn param of service: run furrow doc service",
  pause: "Use confirm in the playbook to ask, or waitFor to wait for a condition: run furrow doc waitFor",
  pip: "Use package, or command with an unless that runs pip show: run furrow doc package",
  register: "Use the output of the task: const x = t.command({ …, readOnly: true }), then x.output",
  set_fact: "Use const, or the output of a task: x.output.map(…)",
  setup: "Use facts in the play's tasks function; run furrow facts HOST to see them",
  slurp: "Use command with readOnly: true and its output for short content, or fetch for a copy: run furrow doc fetch",
  stat: "Use command with readOnly: true and its output; most tasks need no test, because they read the host first",
  throttle: "Use serial on the play, or -f",
  ufw: "Use nftables or firewalld: run furrow doc nftables",
  vars: "Use const, or the playbook's vars",
  when: "Use if or &&, or the option when with a task's output",
};

/** The name of one of Ansible's modules without its collection: `ansible.builtin.copy` is `copy`. */
export function withoutCollection(name: string): string {
  return name.replace(/^[a-z\d_]+\.[a-z\d_]+\./, "");
}

/**
 * What to use instead of one of Ansible's modules or keywords that no single task replaces; undefined for other names.
 */
export function insteadOf(name: string): string | undefined {
  const short = withoutCollection(name);
  return Object.hasOwn(instead, short) ? instead[short] : undefined;
}
