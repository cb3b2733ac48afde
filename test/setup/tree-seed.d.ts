/** The first 28 bits of the hash of the tree that is checked out; null without git. */
export function treeSeed(): number | null;
export function seedTests(): void;
