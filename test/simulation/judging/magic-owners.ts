import type { Raise } from '../fenced-strategies';

/** Whom one magic number belongs to. */
interface Owners {
  /** The fence of the last raise that was answered; null before, and after a loss that may have forgotten it. */
  certain: string | null;
  /** Fences that may have it instead: their raises overlapped with that one, or got no answer. */
  readonly possible: Set<string>;
  /** Raises that are not answered yet. */
  readonly open: Set<Raise>;
  /** Fences of raises that came or went since the oldest open raise was delivered. */
  readonly meanwhile: Set<string>;
}

/** Which fence each magic number belongs to, as far as the answers to raises show. */
export class MagicOwners {
  private readonly all = new Map<number, Owners>();

  /** The fences that a magic number may belong to; null if it may belong to none. */
  of(magic: number): readonly string[] | null {
    const owners = this.all.get(magic);
    if (!owners?.certain) return null;
    return [...new Set([owners.certain, ...owners.possible, ...[...owners.open].map(({ name }) => name)])];
  }

  /** The magic numbers that certainly belong to a fence. */
  belongingTo(name: string): number[] {
    return [...this.all.keys()].filter((magic) => this.of(magic)?.every((owner) => owner === name) ?? false);
  }

  delivered(raise: Raise): void {
    for (const owners of this.named(raise)) {
      owners.open.add(raise);
      owners.meanwhile.add(raise.name);
    }
  }

  /** @param became `raised`, `refused`, or `unknown` if no answer shows it */
  ended(raise: Raise, became: 'raised' | 'refused' | 'unknown'): void {
    for (const owners of this.named(raise)) {
      owners.open.delete(raise);
      if (became === 'unknown') owners.possible.add(raise.name);
      if (became === 'raised') {
        owners.certain = raise.name;
        owners.possible.clear();
        for (const name of owners.meanwhile) owners.possible.add(name);
      }
      if (owners.open.size === 0) owners.meanwhile.clear();
    }
  }

  /** A loss may have forgotten what belongs to a fence. */
  forget(name: string): void {
    for (const owners of this.all.values()) {
      if (owners.certain === name || owners.possible.has(name)) owners.certain = null;
    }
  }

  private named({ magics }: Raise): Owners[] {
    return magics.map((magic) => {
      const owners = this.all.get(magic) ?? {
        certain: null,
        possible: new Set(),
        open: new Set(),
        meanwhile: new Set(),
      };
      this.all.set(magic, owners);
      return owners;
    });
  }
}
