import { absent, file, httpAnswer, Refusal, refuse, run, task } from "../../src/authoring.ts";
import {
  freshIndex,
  packageIndexState,
  packageManager,
  repoSection,
  type RepoSection,
  rpmKey,
  parentOf,
  fileText,
} from "../../src/facts/catalogue.ts";
import { transaction } from "../package/transaction.ts";
import { aptSources, asksByHttp, filesOf, loginFile, repoFile, repoSettings } from "./description.ts";
import { fingerprintOf, hasKey, keyContent, maxKeyBytes } from "./key.ts";
import { params, type PresentRepo } from "./params.ts";
import { keepForTrial, trialFolder } from "./trial.ts";

/** Configures a package repository on the host, with its signing key and a fetched index. */
export const packageRepo = task({
  name: "packageRepo",
  summary: "Configure a package repository on the host, with its key, and fetch its index",
  params,
  examples: [
    {
      manager: "apt",
      name: "docker",
      uris: ["https://download.docker.com/linux/debian"],
      suites: ["bookworm"],
      components: ["stable"],
      key: {
        url: "https://download.docker.com/linux/debian/gpg",
        fingerprint: "9DC8 5822 9FC7 DD38 854A  E2D8 8D81 803C 0EBF CD88",
      },
    },
    { manager: "zypper", name: "network", url: "https://download.opensuse.org/repositories/network/SLE_15/" },
    { manager: "dnf", name: "internal", url: "http://10.0.0.1/rpm", gpgCheck: false },
    {
      manager: "dnf",
      name: "private",
      url: "https://repo.example.org/rpm",
      login: { user: "me", password: "…" },
    },
    { manager: "apt", name: "docker", state: "absent" },
  ],
  title: (p) => `package repository ${p.name}`,
  cannotPredict: "which packages it offers: later tasks depend on this one.",
  mayProvide: (p) => (p.state === "present" ? ["packageOffer:**"] : []),
  disturbs: () => ["packageIndex:**", "packageOffer:**", "packagePlan:**", "file:/var/**"],
})
  .facts((p) => {
    const { key, keys, login } = filesOf(p);
    const { manager } = p;
    const hasLogin = p.state === "absent" || p.login !== undefined;
    const fingerprint = p.state === "present" && p.key !== undefined ? fingerprintOf(p.key) : undefined;
    return {
      manager: packageManager(),
      key: file(key, ["text"]),
      ...(p.state === "present" && { index: packageIndexState(), folder: file(parentOf(filesOf(p).repo)) }),
      ...(p.state === "present" && p.key !== undefined && { keys: file(keys) }),
      ...(hasLogin && { login: file(login, ["sha256"], { secret: true }) }),
      ...(p.state === "present" && p.login !== undefined && { logins: file(parentOf(login)) }),
      ...(manager === "apt" && { sources: file(filesOf(p).repo, ["text"]) }),
      ...(manager !== "apt" && { section: repoSection(manager, p.name) }),
      ...(manager !== "apt" && fingerprint !== undefined && { trust: rpmKey(fingerprint) }),
    };
  })
  .facts((p, { key }) => {
    const wanted = p.state === "present" ? p.key : undefined;
    const missing = wanted !== undefined && "url" in wanted && !hasKey(fileText(key), wanted);
    return {
      ...(missing && {
        answer: httpAnswer({ url: wanted.url, timeoutSeconds: 30, maxBytes: maxKeyBytes, redirects: 5 }),
      }),
    };
  })
  .want((p, now) => {
    const section = now.section === absent ? undefined : now.section;
    if (p.state === "absent") {
      if (section !== undefined && !section.alone) return shared(p.name, section);
      return { key: absent, login: absent, ...(p.manager === "apt" ? { sources: absent } : { section: absent }) };
    }
    const manager = now.manager === absent ? undefined : now.manager.name;
    if (manager !== p.manager) return otherManager(p.manager, manager);
    if (p.login !== undefined && !asksByHttp(p)) return noServer(p.name);
    const content = p.key === undefined ? undefined : keyContent(p.key, fileText(now.key), now.answer);
    if (content instanceof Refusal) return content;
    const settings = p.manager === "apt" ? undefined : repoSettings(p, section);
    if (section !== undefined && !holds(section, settings) && !(section.alone && section.file === filesOf(p).repo)) {
      return shared(p.name, section);
    }
    const stands =
      (content === undefined || fileText(now.key) === content) &&
      (p.manager === "apt" ? fileText(now.sources) === aptSources(p) : holds(section, settings)) &&
      now.trust?.imported !== false;
    const password = loginFile(p);
    const known = now.index === undefined || (now.index.filled && !now.index.outdated);
    return {
      folder: { type: "directory" },
      ...(content !== undefined && { keys: { type: "directory" }, key: { type: "file", text: content, mode: "0644" } }),
      ...(password !== undefined && {
        logins: { type: "directory" },
        login: { type: "file", text: password, mode: "0600" },
      }),
      ...(p.manager === "apt" && { sources: { type: "file", text: aptSources(p), mode: "0644" } }),
      ...(settings !== undefined && { section: { settings } }),
      ...(now.trust !== undefined && { trust: { imported: true } }),
      ...(isUsed(p) && !(stands && known) && { index: freshIndex }),
    };
  })
  .steps((p, { change, now, want }) => {
    const { repo, key, keys, login } = filesOf(p);
    if (p.state === "absent") {
      const gone = [
        (change.sources ?? change.section) &&
          (now.section !== undefined && now.section !== absent ? now.section.file : repo),
        change.key && key,
        change.login && login,
      ];
      return gone.map((path) => path && { step: "remove", path, recursive: false });
    }
    const section = now.section === absent ? undefined : now.section;
    const content = want.key !== undefined && typeof want.key === "object" ? want.key.text : undefined;
    const described = change.sources ?? change.section;
    const files = [repo, key, login];
    const differs = described ?? change.key ?? change.trust ?? change.login;
    const password = loginFile(p);
    return [
      isUsed(p) && differs && keepForTrial(p, files),
      change.folder && { step: "makeDirectory", path: parentOf(repo), parents: true, mode: "0755" },
      change.keys && { step: "makeDirectory", path: keys, parents: true, mode: "0755" },
      change.key && typeof content === "string" && { step: "writeFile", path: key, text: content, mode: "0644" },
      change.trust && run`rpm --import ${key}`,
      change.logins && { step: "makeDirectory", path: parentOf(login), parents: true, mode: "0755" },
      change.login && password !== undefined && { step: "writeFile", path: login, text: password, mode: "0600" },
      described && {
        step: "writeFile",
        path: repo,
        text: p.manager === "apt" ? aptSources(p) : repoFile(p, section),
        mode: "0644",
      },
      isUsed(p) &&
        (change.index ?? differs) &&
        transaction({
          manager: p.manager,
          action: "refresh",
          // New files are kept only if the index can be fetched: a list that apt cannot read breaks every apt command.
          trial: [trialFolder(p), ...files],
          waitSeconds: p.waitSeconds,
          label: `fetch the package index with ${p.manager}`,
        }),
    ];
  });

function isUsed(p: PresentRepo): boolean {
  return p.manager === "apt" || p.enabled;
}

/** True if a section has all wanted settings. */
function holds(section: RepoSection | undefined, settings: Readonly<Record<string, string>> = {}): boolean {
  return Object.entries(settings).every(([name, value]) => section?.settings[name] === value);
}

function noServer(name: string): Refusal {
  return refuse({
    code: "login-without-server",
    message: `the repository ${name} has a login, but none of its URLs uses HTTP`,
    expected: "a URL that begins with http:// or https://",
    hint: "Remove login, or correct the URL",
  });
}

function otherManager(wanted: string, found: string | undefined): Refusal {
  return refuse({
    code: "other-package-manager",
    message: `the repository is for ${wanted}, but the host uses another package manager`,
    current: found ?? "none that furrow supports",
    expected: wanted,
    hint: "Choose the repository by facts.os, or exclude this host",
  });
}

function shared(name: string, { file: path }: RepoSection): Refusal {
  return refuse({
    code: "repo-elsewhere",
    message: `the repository ${name} is already defined differently in ${path}, which this task does not manage`,
    hint: `Change ${path} in the task that manages it, or choose another name`,
  });
}
