/** A point in a deployment: the n-th start of a program, or the n-th wait of a certain kind. */
export interface Point {
  readonly what: string;
  readonly nth: number;
  /** Milliseconds between this point and the kill. */
  readonly delayMs: number;
  /** True if the program is suspended until the next furrow process has found it running. */
  readonly held: boolean;
}

/** Programs that a deployment starts on its host, each with the number of starts that are used as kill points. */
const programs: Readonly<Record<string, number>> = {
  curl: 4,
  sha512sum: 2,
  mkdir: 2,
  mv: 5,
  chmod: 2,
  ln: 1,
  dd: 3,
  partx: 1,
  "mkfs.ext4": 1,
  mount: 1,
  "systemctl daemon-reload": 3,
  "systemctl enable": 2,
  "systemctl start": 2,
  "systemctl restart": 1,
  "systemctl try-restart": 1,
  "virsh net-define": 1,
  "virsh net-autostart": 1,
  "virsh net-start": 1,
  "qemu-img create": 1,
  "virsh define": 1,
  "virsh autostart": 1,
  "virsh start": 1,
  crontab: 1,
};

/**
 * The package transactions during which the first furrow process may be killed, identified by words in the command
 * lines of processes on the host.
 */
export const packageManagers: readonly string[] = ["apt-get", "dpkg --unpack", "dpkg --configure"];

/**
 * The points at which furrow is killed whatever the seed is: the commands that are most dangerous to interrupt or
 * repeat.
 */
const certain: readonly string[] = ["mkfs.ext4", "virsh net-define", "virsh define", "crontab"];

/**
 * The controller's waits, during which the host might not start any program: how their messages are recognized, and
 * their maximum duration.
 */
const waits: readonly { readonly what: string; readonly says: RegExp; readonly atMostMs: number }[] = [
  { what: "(waiting for what another run began)", says: /has lost its controller/, atMostMs: 2000 },
  { what: "(a node installs itself)", says: /^harvester-1 answers/, atMostMs: 15_000 },
  { what: "(asking the cluster)", says: /^the cluster answers/, atMostMs: 3000 },
  { what: "(fetching the kubeconfig)", says: /^kubeconfig/, atMostMs: 800 },
];

/**
 * Any program at all, including those that only read; `starts` is the number of programs that a whole deployment
 * starts.
 */
const anyProgram = { what: "(any program)", starts: 3000, times: 5 };

/**
 * Chooses points: first the fixed points, then points drawn from the seed.
 *
 * @param random returns integers from 0 up to, but not including, its argument
 */
export function drawPoints(random: (limit: number) => number, count: number): Point[] {
  const pointsOf = ([what, times]: [string, number]): Point[] =>
    Array.from({ length: times }, (_, index) => ({ what, nth: index + 1, delayMs: random(40), held: random(2) === 0 }));
  const all = [
    ...Object.entries(programs).flatMap(pointsOf),
    ...waits.map(({ what, atMostMs }) => ({ what, nth: 1, delayMs: random(atMostMs), held: false })),
    ...Array.from({ length: anyProgram.times }, () => ({
      what: anyProgram.what,
      nth: 1 + random(anyProgram.starts),
      delayMs: 0,
      held: false,
    })),
  ];
  const isCertain = ({ what, nth }: Point): boolean => certain.includes(what) && nth === 1;
  const others = all.filter((point) => !isCertain(point)).map((point) => ({ point, at: random(1 << 30) }));
  // Some of the drawn points are never reached, because a program may start fewer times than it has points.
  const drawn = others.toSorted((a, b) => a.at - b.at).slice(0, Math.max(3, count - certain.length + 2));
  return [
    ...all.filter(isCertain).map((point) => ({ ...point, delayMs: 0, held: true })),
    ...drawn.map(({ point }) => point),
  ];
}

/** True for points that must be hit in each deployment. */
export function mustBeHit(what: string): boolean {
  return certain.includes(what);
}

/** The wait that begins when the controller reports a task with this title, or this warning. */
export function waitOf(said: string): string | undefined {
  return waits.find(({ says }) => says.test(said))?.what;
}

/** The program that starts in a line of strace output, with its verb if the program has several. */
export function commandOf(line: string): string {
  const [path = "", ...argv] = [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word]) => word ?? "");
  const words = argv.slice(1);
  const program = path.slice(path.lastIndexOf("/") + 1);
  const isVerb = (word: string): boolean => /^[a-z-]+$/.test(word) && !word.startsWith("-");
  switch (program) {
    case "systemctl":
    case "qemu-img":
    case "virsh":
      return `${program} ${words.find(isVerb) ?? ""}`;
    case "crontab":
      return words.includes("-l") ? "crontab -l" : program;
    case "dd":
      return words.some((word) => word.startsWith("of=/dev/")) ? program : "dd to no disk";
    case "curl":
      return words.includes("-o") ? program : "curl that only queries";
  }
  return program;
}
