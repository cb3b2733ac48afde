/** Result of a login according to the journal: authorised, refused by the broker, or failed (so far). */
export type JournalVerdict =
  | { readonly kind: 'authorised'; readonly line: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** Answers that a retry with the same credentials cannot change; brokers lock accounts after repeated attempts. */
const finalReasons = /invalid account|invalid password|invalid login|account disabled|account is disabled|certificate/i;

/**
 * Reads journal lines such as `… Network '123': authorized on Demo-Server through Access Point 1` and
 * `… Network '123': authorization on Demo-Server failed (Invalid account)`. Lines of other accounts are ignored.
 */
export function journalVerdict(lines: readonly string[], login: number): JournalVerdict | undefined {
  const own = lines.filter((line) => new RegExp(`(^|[^0-9])'?${login}'?\\s*:`).test(line));
  const success = own.find((line) => /\bauthorized on\b/i.test(line));
  if (success !== undefined) return { kind: 'authorised', line: success.trim() };
  const reasons = own.flatMap((line) => {
    const match = /\bauthorization on .* failed(?:\s*[([](.*)[)\]])?/i.exec(line);
    return match ? [match[1] ?? 'no reason given'] : [];
  });
  const reason = reasons.at(-1);
  if (reason === undefined) return undefined;
  return { kind: finalReasons.test(reason) ? 'refused' : 'failed', reason };
}
