import { closest, distance } from 'fastest-levenshtein';

/** `; did you mean …?` for a mistyped name, or all known ones if none is similar. */
export function advice(name: string, known: readonly string[]): string {
  return suggestion(name, known) ?? (known.length === 0 ? '' : `; known are ${known.join(', ')}`);
}

/** `; did you mean …?` if a known name is so similar that it was probably meant; null otherwise. */
export function suggestion(name: string, known: readonly string[]): string | null {
  if (known.length === 0 || name === '') return null;
  const [given, found] = [plain(name), nearestPlain(name, known)];
  const mistakes = distance(given, plain(found));
  const isNear = mistakes <= Math.max(1, Math.floor(given.length / 3)) && mistakes < plain(found).length;
  return isNear || isPart(given, plain(found)) || lettersOf(given) === lettersOf(plain(found))
    ? `; did you mean ${found}?`
    : null;
}

function nearestPlain(name: string, known: readonly string[]): string {
  const part = known.find((each) => isPart(plain(name), plain(each)));
  const [first = ''] = known;
  return part ?? known.find((each) => plain(each) === closest(plain(name), known.map(plain))) ?? first;
}

/** Whether one is the beginning or the end of the other, as in `from` and `from_date`. */
function isPart(given: string, known: string): boolean {
  const [short, long] = given.length < known.length ? [given, known] : [known, given];
  return short.length >= 2 && (long.startsWith(short) || long.endsWith(short));
}

/** Equal for names that differ only in the order of their letters, as in `statsu`. */
function lettersOf(name: string): string {
  return [...name].sort().join('');
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}
