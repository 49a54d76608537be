import type { Entry } from "./catalogue.ts";

/** A section of the task list, with a folder for its pages. */
export interface Topic {
  /** The folder below `docs/reference/tasks`; "" for tasks that are not assigned to a topic. */
  readonly folder: string;
  readonly title: string;
}

const topics: readonly (Topic & { readonly tasks: string })[] = [
  {
    folder: "files",
    title: "Files",
    tasks: "authorizedKey directoryTree download fetch file fileBlock fileLine unarchive",
  },
  { folder: "packages", title: "Packages", tasks: "package packageIndex packageRepo" },
  {
    folder: "system",
    title: "System",
    tasks:
      "caCertificate chrony chronySync cron dhcpServer disk firewalld group grubParameter hostname kernelModule mount networkInterface nftables reboot service sysctl systemdUnit timezone user",
  },
  {
    folder: "machines",
    title: "Virtual machines",
    tasks: "ipmiPower libvirtDomain libvirtNet libvirtPower redfishPower",
  },
  { folder: "kubernetes", title: "Kubernetes", tasks: "kubeEvict kubeExec kubeManifest kubeObject kubeScale kubeWait" },
  { folder: "flow", title: "Commands, waits and checks", tasks: "assert command httpWait waitFor" },
];
const clouds: Topic = { folder: "clouds", title: "Clouds" };
const others: Topic = { folder: "", title: "Others" };

/** The topics, in the order of the list. */
export const allTopics: readonly Topic[] = [...topics, clouds, others];

/**
 * The topic of a task: `clouds` for a task that acts on a cloud's API; otherwise the topic that the table assigns.
 * Tasks that are missing from the table belong to `others`.
 */
export function topicOf({ name, ...card }: Entry["card"]): Topic {
  if ("service" in card && card.service !== undefined) return clouds;
  return topics.find(({ tasks }) => tasks.split(" ").includes(name)) ?? others;
}

/** The path of a task's page below `docs/reference/tasks`. */
export function pageOf(card: Entry["card"]): string {
  const { folder } = topicOf(card);
  return folder === "" ? `${card.name}.md` : `${folder}/${card.name}.md`;
}
