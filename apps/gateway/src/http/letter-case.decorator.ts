import { Transform } from 'class-transformer';

/**
 * Reads one of these words in any letter case; any other value is unchanged, and the validation of the field rejects
 * it.
 */
export function AnyLetterCase(words: readonly string[]): PropertyDecorator {
  const byLowercase = new Map(words.map((word) => [word.toLowerCase(), word]));
  return Transform(({ value }: { readonly value: unknown }) =>
    typeof value === 'string' ? (byLowercase.get(value.toLowerCase()) ?? value) : value,
  );
}
