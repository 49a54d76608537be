import type { Case } from "../../src/testing/index.ts";
import { gceOsLogin } from "./gce-os-login.ts";

const params = { name: "lab", project: "project-1", zone: "europe-west3-a", key: "ssh-ed25519 AAAA me@here" };
const call = gceOsLogin(params);
const removal = gceOsLogin({ ...params, state: "absent" });

const login = { instance: false, use: "on", by: "project", secondFactor: false, why: "" };
const off = { ...login, use: "off", by: "default" };
const policy = { required: "no", why: "" };
const required = { required: "yes", why: "" };
const profile = {
  account: "ann@example.com",
  user: "ann_example_com",
  registered: true,
  lasts: true,
  expires: "2030-01-31T12:00:00.000Z",
};
const none = { ...profile, registered: false, lasts: false, expires: "" };
const admin = { may: "admin", why: "" };
const now = (other: object): Record<string, unknown> => ({
  login,
  policy,
  profiles: [profile],
  roles: [admin],
  ...other,
});
const register = ["register the SSH key of ann@example.com with OS Login for 7 days"];
const nothing = { profiles: [], roles: [] };

/** Test cases for `gceOsLogin`: the metadata, the policy and the profile, and what the task does. */
export const cases: readonly Case[] = [
  { title: "the project uses OS Login, and the key is registered", call, now: now({}), steps: [] },
  { title: "the key is not registered", call, now: now({ profiles: [none] }), steps: register },
  {
    title: "the account has no login name yet",
    call,
    now: now({ profiles: [{ ...none, user: "" }] }),
    steps: register,
  },
  { title: "the key expires soon", call, now: now({ profiles: [{ ...profile, lasts: false }] }), steps: register },
  { title: "the key never expires", call, now: now({ profiles: [{ ...profile, expires: "" }] }), steps: [] },
  { title: "no OS Login", call, now: now({ login: off, ...nothing }), steps: [] },
  {
    title: "no OS Login in the project, but the policy requires it for a new instance",
    call,
    now: now({ login: off, policy: required, profiles: [none] }),
    steps: register,
  },
  {
    title: "an instance that is older than the policy",
    call,
    now: now({ login: { ...off, instance: true }, policy: required, ...nothing }),
    steps: [],
  },
  {
    title: "OS Login must be on",
    call: gceOsLogin({ ...params, enabled: true, validHours: 36 }),
    now: now({ login: off, profiles: [none] }),
    steps: ["register the SSH key of ann@example.com with OS Login for 36 hours"],
  },
  {
    title: "OS Login must be off",
    call: gceOsLogin({ ...params, enabled: false }),
    now: now(nothing),
    steps: [],
  },
  {
    title: "OS Login must be off, but the policy requires it",
    call: gceOsLogin({ ...params, enabled: false }),
    now: now({ policy: required, ...nothing }),
    steps: [],
    refusal: "os-login-required",
  },
  {
    title: "the project's metadata cannot be read",
    call,
    now: now({ login: { ...off, use: "unknown", why: "403: Required 'compute.projects.get'" }, ...nothing }),
    steps: [],
    refusal: "os-login-unknown",
  },
  {
    title: "the credentials do not say which account they belong to",
    call,
    now: now({ profiles: [{ ...none, account: "", user: "" }] }),
    steps: [],
    refusal: "no-account",
  },
  {
    title: "a person, who needs a second factor",
    call,
    now: now({ login: { ...login, secondFactor: true } }),
    steps: [],
    refusal: "second-factor",
  },
  {
    title: "a service account, which does not need the second factor",
    call,
    now: now({
      login: { ...login, secondFactor: true },
      profiles: [{ ...profile, account: "ci@project-1.iam.gserviceaccount.com", user: "sa_1" }],
    }),
    steps: [],
  },
  {
    title: "no role to log in",
    call,
    now: now({ roles: [{ may: "nothing", why: "" }] }),
    steps: [],
    refusal: "no-login-role",
  },
  { title: "a role without sudo", call, now: now({ roles: [{ may: "user", why: "" }] }), steps: [] },
  {
    title: "a key to remove",
    call: removal,
    now: now({ roles: [] }),
    steps: ["remove the SSH key of ann@example.com"],
  },
  {
    title: "a key to remove from an unknown account",
    call: removal,
    now: now({ profiles: [{ ...none, account: "", user: "" }], roles: [] }),
    steps: [],
    refusal: "no-account",
  },
  { title: "no key to remove", call: removal, now: now({ profiles: [none], roles: [] }), steps: [] },
];
