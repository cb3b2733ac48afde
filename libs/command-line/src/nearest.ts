import { closest } from 'fastest-levenshtein';

/** The known name that a mistyped one was most likely meant to be. */
export function nearest(name: string, known: readonly string[]): string {
  return closest(name, known);
}
