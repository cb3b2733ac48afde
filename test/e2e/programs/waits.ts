const everyMs = 50;
/** What is being waited for, and what was seen last. */
const open = new Map<object, { readonly what: string; seen: unknown }>();

/** Asks until the answer satisfies. The test's own time limit is the only other end: {@link endWaits} then says what was seen. */
export async function waitUntil<Answer>(
  what: string,
  ask: () => Promise<Answer>,
  satisfies: (answer: Answer) => boolean,
): Promise<Answer> {
  const wait = { what, seen: undefined as unknown };
  open.set(wait, wait);
  try {
    while (open.has(wait)) {
      const answer = await ask();
      wait.seen = answer;
      if (satisfies(answer)) return answer;
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  } finally {
    open.delete(wait);
  }
  throw new Error(`gave up on ${what}`);
}

/** After a test: prints what it still waited for, and gives it up. */
export function endWaits(): void {
  for (const { what, seen } of open.values()) {
    console.error(`The test ended while it waited for ${what}. Seen last: ${JSON.stringify(seen)?.slice(0, 2_000)}`);
  }
  open.clear();
}
