/** One change of a planted bug: in this file, the text `before` becomes the text `after`. */
export interface PlantedChange {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

export interface PlantedBug {
  readonly name: string;
  /** What is wrong with the product once it is planted. */
  readonly why: string;
  /** The account or start that a seed needs to show it: `netting`, `end of a day`. */
  readonly on: readonly string[];
  readonly changes: readonly PlantedChange[];
}

export function plantedBugs(): string[];
export function readBug(name: string): PlantedBug;
export function parsePatch(name: string, text: string): PlantedBug;
export function planted(bug: PlantedBug, path: string, source: string): string;
