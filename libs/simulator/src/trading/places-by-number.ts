/** Slots of an empty table; always a power of two. */
const firstSlots = 64;

/**
 * The places of the rows of a list by a number of each row, such as its ticket. A table with open addressing in typed
 * arrays: some 30 bytes for a number and 4 for a row, half of what a `Map` takes, and nothing for the garbage collector to trace.
 * The rows of a number are linked from the last one to the first, as most numbers have only one or two.
 */
export class PlacesByNumber {
  private numbers = new Float64Array(firstSlots);
  /** For each slot, one more than the place of the last row of its number; 0 for a free slot. */
  private last = new Int32Array(firstSlots);
  private used = 0;
  /** For each row, one more than the place of the row of its number before it; 0 for the first. */
  private before = new Int32Array(firstSlots);
  private count = 0;

  /** Takes in the row that was added last. */
  noteLast(number: number): void {
    if (this.count === this.before.length) this.before = longer(this.before);
    const slot = this.slotOf(number);
    const last = this.last[slot] ?? 0;
    this.before[this.count++] = last;
    this.last[slot] = this.count;
    if (last > 0) return;
    this.numbers[slot] = number;
    this.used += 1;
    if (this.used * 3 > this.last.length * 2) this.grow();
  }

  /** The places of the rows of a number, the oldest first. */
  places(number: number): readonly number[] {
    const found: number[] = [];
    for (let at = this.last[this.slotOf(number)] ?? 0; at > 0; at = this.before[at - 1] ?? 0) found.push(at - 1);
    return found.reverse();
  }

  /** The slot of a number, or the free one in which it belongs. */
  private slotOf(number: number): number {
    const mask = this.last.length - 1;
    let slot = (Math.imul(number | 0, 0x9e3779b1) >>> 8) & mask;
    while (this.last[slot] !== 0 && this.numbers[slot] !== number) slot = (slot + 1) & mask;
    return slot;
  }

  private grow(): void {
    const { numbers, last } = this;
    this.numbers = new Float64Array(2 * numbers.length);
    this.last = new Int32Array(2 * last.length);
    for (const [slot, place] of last.entries()) {
      const number = numbers[slot];
      if (place === 0 || number === undefined) continue;
      const next = this.slotOf(number);
      this.numbers[next] = number;
      this.last[next] = place;
    }
  }
}

function longer(places: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const copy = new Int32Array(2 * places.length);
  copy.set(places);
  return copy;
}
