/** Deadline of requests to the two programs; short, because both answer from memory. */
const deadlineMs = 2_000;

/** The JSON of an answer of any status; undefined if there is no answer. */
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

/** Polls until the answer matches; undefined if `giveUp` settles first. */
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
