import { fields, type Params, type Problem } from "./fields.ts";
import { problemsOfRanges } from "./ranges.ts";

/** Params of `dhcpServer`. */
export const params = fields.superRefine((p, context) => {
  for (const { path, message } of [...problemsOfRanges(p), ...problemsOfBoot(p)])
    context.addIssue({ code: "custom", path: [...path], message });
});

/** Finds reservations that boot with firmware for which `programs` has no program to load. */
function problemsOfBoot({ subnets, programs: first, tftpRoot }: Params): Problem[] {
  const wanting = subnets.flatMap(({ reservations }, at) =>
    reservations.flatMap(({ boot, name }, place): Problem[] => {
      const found = boot?.firmware === "bios" ? first?.bios : (first?.uefi ?? first?.http);
      const path = ["subnets", at, "reservations", place, "boot", "firmware"];
      return boot === undefined || found !== undefined
        ? []
        : [{ path, message: `firmware for which \`programs\` has a program that ${name} could load` }];
    }),
  );
  const unserved = first?.bios ?? first?.uefi;
  return unserved !== undefined && tftpRoot === undefined
    ? [...wanting, { path: ["tftpRoot"], message: `the directory that contains ${unserved}` }]
    : wanting;
}
