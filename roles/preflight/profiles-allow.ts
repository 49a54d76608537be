import { absent, absolutePath, refuse, task, z } from "../../src/authoring.ts";
import { allows, apparmorProfile, pathRules } from "../../src/facts/catalogue.ts";

const params = z.strictObject({
  reads: z
    .array(
      z.strictObject({
        profile: z.string().describe("Name of the profile's file in /etc/apparmor.d"),
        path: absolutePath().describe("File that the profile's program must be able to read"),
        folder: absolutePath().describe("Directory to allow if the program cannot read the file"),
      }),
    )
    .describe("The files that programs confined by AppArmor must be able to read"),
});

/**
 * Refuses paths that the host's AppArmor profiles deny to the programs that need them: nodes would wait for their boot
 * program until the deadline. Profiles in complain mode are accepted.
 */
export const profilesAllow = task({
  name: "profilesAllow",
  summary: "Refuse paths that AppArmor denies to the programs that need them",
  params,
  examples: [],
  title: () => "AppArmor allows the cluster's paths",
})
  .facts((p) => ({ profiles: p.reads.map(({ profile }) => apparmorProfile(profile)) }))
  .want((p, now) => {
    for (const [at, { profile, path, folder }] of p.reads.entries()) {
      const found = now.profiles[at];
      if (found === undefined || found === absent || found.mode !== "enforce") continue;
      const file = `/etc/apparmor.d/${profile}`;
      const rules = pathRules(found.text);
      if (rules === undefined) {
        return refuse({
          code: "unknown-profile",
          message: `AppArmor enforces ${file}, but it contains no profile that furrow can read`,
          hint: `Check it with apparmor_parser -p ${file}`,
        });
      }
      if (allows(rules, path, "r")) continue;
      return refuse({
        code: "confined",
        message: `AppArmor's profile ${rules.name} does not allow reading ${path}`,
        current: `no rule in ${file} allows it`,
        expected: `${folder}/** r,`,
        hint: `Add the line "${folder}/** r," to /etc/apparmor.d/local/${profile}, and run apparmor_parser -r ${file}`,
      });
    }
    return {};
  })
  .steps(() => []);
