import type { HttpAnswer, HttpRequest } from '../asks';
import { raiseIn } from '../fenced-strategies';
import type { FenceUse } from './fence-use';

/** Delivers a request, and holds what it says of fences against those that the judge knows. */
export async function watchingFences(
  fences: FenceUse,
  request: HttpRequest,
  deliver: (request: HttpRequest) => Promise<HttpAnswer | null>,
): Promise<HttpAnswer | null> {
  const raise = raiseIn(request);
  const delivered = raise && fences.delivered(raise);
  const { known } = fences;
  const answer = await deliver(request);
  if (delivered) fences.raiseAnswered(delivered, answer);
  if (answer && request.url === '/fences') fences.shown(answer, known);
  return answer;
}
