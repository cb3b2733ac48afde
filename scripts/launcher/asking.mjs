/** What the launcher asks the two programs; short deadlines, because both answer from memory. */
const deadlineMs = 2_000;

/** The JSON of an answer, whatever its status, or undefined while nobody answers. */
export async function ask(url, key) {
  try {
    const response = await fetch(url, {
      headers: key ? { authorization: `Bearer ${key}` } : {},
      signal: AbortSignal.timeout(deadlineMs),
    });
    return { status: response.status, body: await response.json() };
  } catch {
    return undefined;
  }
}

/** Asks until the answer satisfies, or `giveUp` settles first; undefined then. */
export async function askUntil(url, key, satisfies, giveUp) {
  let over = false;
  void giveUp.then(() => (over = true));
  while (!over) {
    const answer = await ask(url, key);
    if (answer && satisfies(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return undefined;
}
