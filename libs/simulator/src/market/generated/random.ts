// Bound once: looking globals up is slow in the sandbox that tests run in.
const { imul, log, sqrt, cos, PI } = Math;

/** Mixes integers into one 32-bit hash: the same inputs give the same hash on every machine. */
export function hash32(...parts: readonly number[]): number {
  let state = 0x9e3779b9;
  for (const part of parts) {
    state = imul(state ^ (part | 0), 0x85ebca6b);
    state ^= state >>> 13;
    state = imul(state, 0xc2b2ae35);
    state = (state ^ (state >>> 16)) + 0x6d2b79f5;
  }
  return state >>> 0;
}

/** A text as one of the parts of {@link hash32}. */
export function hashText(text: string): number {
  let state = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) state = imul(state ^ text.charCodeAt(at), 0x01000193);
  return state >>> 0;
}

/** A small seeded generator (mulberry32): one is made for each block of prices, so that any block can be made again. */
export class Random {
  constructor(private state: number) {}

  /** Uniform in [0, 1). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** Standard normal, by Box and Muller. */
  gaussian(): number {
    const radius = sqrt(-2 * log(1 - this.next()));
    return radius * cos(2 * PI * this.next());
  }

  /** Nearly normal with unit variance: a sum of uniforms, for the many small steps where tails do not matter. */
  roughGaussian(): number {
    return (this.next() + this.next() + this.next() + this.next() - 2) * 1.7320508075688772;
  }
}
