const outcomes: readonly unknown[] = ['broker_response', 'unknown_outcome', 'recovered', 'refused'];

/**
 * The audit log holds together: numbered without a gap, never back in time, every record of the journal once, and every intent once
 * and with its outcome.
 * @param texts its files from the first to the present one
 * @param withoutOutcome intents whose outcome a lost journal, or a crash while the log could not be written, has taken
 */
export function auditProblems(texts: readonly string[], withoutOutcome: ReadonlySet<unknown> = new Set()): string[] {
  const open = new Set<unknown>();
  const problems = texts.flatMap((text) => problemsOf(text, open));
  const lacking = [...open].filter((intent) => !withoutOutcome.has(intent));
  return [...problems, ...recordProblems(texts), ...lacking.map((intent) => `intent ${String(intent)} has no outcome`)];
}

/** Ids of the intents of an audit log that it has no outcome of. @param texts as for {@link auditProblems} */
export function intentsWithoutOutcome(texts: readonly string[]): unknown[] {
  const open = new Set<unknown>();
  for (const text of texts) problemsOf(text, open);
  return [...open];
}

/** Ids of the intents that an audit log has a whole line of. @param texts as for {@link auditProblems} */
export function auditedIntents(texts: readonly string[]): ReadonlySet<unknown> {
  const lines = texts.flatMap((text) => text.split('\n')).filter((line) => line.includes('"event":"intent"'));
  return new Set(lines.map((line) => parsed(line)?.['intent_id']));
}

/** @param open intents without an outcome so far */
function problemsOf(text: string, open: Set<unknown>): string[] {
  const problems: string[] = [];
  let last: { readonly sequence: number; readonly timestamp: string } | null = null;
  for (const [index, content] of text.split('\n').entries()) {
    const line = parsed(content);
    // A crash cuts a line short that was never acknowledged; the next one carries its number.
    if (line === null) continue;
    const { sequence, timestamp, event, intent_id: intent } = line;
    if (typeof sequence !== 'number' || typeof timestamp !== 'string') continue;
    if (last && sequence !== last.sequence + 1)
      problems.push(`line ${index + 1}: ${sequence} follows ${last.sequence}`);
    if (last && timestamp < last.timestamp)
      problems.push(`line ${index + 1}: ${timestamp} is before ${last.timestamp}`);
    last = { sequence, timestamp };
    if (event === 'intent') {
      if (open.has(intent)) problems.push(`line ${index + 1}: intent ${String(intent)} is there twice`);
      open.add(intent);
    } else if (intent !== null && outcomes.includes(event)) open.delete(intent);
  }
  return problems;
}

/** The records of a journal are in the log one after the other. A journal that lacks some goes on under another name. */
function recordProblems(texts: readonly string[]): string[] {
  const last = new Map<string, number>();
  return texts.flatMap((text) =>
    text.split('\n').flatMap((content) => {
      const record = parsed(content)?.['record'];
      if (typeof record !== 'string') return [];
      const [series = '', number = ''] = record.split('/');
      const before = last.get(series) ?? Number(number) - 1;
      last.set(series, Number(number));
      return Number(number) === before + 1 ? [] : [`record ${record} follows ${before}`];
    }),
  );
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const line: unknown = JSON.parse(text);
    return typeof line === 'object' && line !== null ? { ...line } : null;
  } catch {
    return null;
  }
}
