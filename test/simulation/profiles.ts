/** Kinds of faults that a plan can be restricted to; `all`: no restriction; `none`: a polite broker on a good day. */
export const profiles = ['all', 'crashes', 'disk', 'clock', 'link', 'operators', 'none'] as const;

export type Profile = (typeof profiles)[number];

/** Names of disturbances by profile. A name of `disturbances` counts for each gateway, one of `daemonDisturbances` for the daemon. */
const disturbancesOf: Readonly<Record<Exclude<Profile, 'all'>, readonly string[]>> = {
  crashes: ['kills', 'kills at a port', 'daemon kills', 'daemon kills at a port', 'lost threads', 'stops'],
  disk: ['disk', 'a lost journal', 'kills', 'daemon disk', 'daemon kills'],
  clock: [
    ...['wall clock', 'server clocks', 'pauses', 'daemon wall clock', 'daemon pauses'],
    ...['pauses longer than a lease', 'server clock'],
  ],
  link: [
    ...['cuts', 'slow link', 'freezes', 'send troubles', 'http troubles', 'broker faults', 'habits'],
    ...['outages', 'stream cuts', 'isolations'],
    ...['database cuts', 'slow database', 'database troubles', 'database outages'],
  ],
  operators: [
    ...['halts', 'halts by hand', 'halts at a port', 'releases', 'rotations', 'fences'],
    ...['reloads', 'resumes', 'settlements', 'flattens'],
    ...['moves', 'drains', 'applied configurations'],
  ],
  none: [],
};

/** Whether a profile has a disturbance. */
export function isIn(profile: Profile, disturbance: string): boolean {
  return profile === 'all' || disturbancesOf[profile].includes(disturbance);
}

/** A profile by its name; null when there is none. */
export function profileNamed(name: string): Profile | null {
  return profiles.find((profile) => profile === name) ?? null;
}
