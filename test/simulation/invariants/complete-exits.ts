import type { HttpAnswer } from '../asks';
import { lagMs, type HeldRow } from './whole-lists';

/**
 * It is not said that everything is closed while something is open that the broker had all along.
 * @param answer of a flattening or of a request to close all positions
 * @param held what the broker has at the answer, of what was to be closed
 */
export function saidComplete(
  { status, body }: Pick<HttpAnswer, 'status' | 'body'>,
  held: readonly HeldRow[],
): string[] {
  const { flatten } = body;
  const report = typeof flatten === 'object' && flatten !== null && 'complete' in flatten ? flatten.complete : null;
  if (status !== 200 || report === false) return [];
  return held
    .filter(({ heldMs }) => heldMs > lagMs)
    .map(({ ticket, heldMs }) => `everything was said to be closed, and ${ticket} is open for ${heldMs} ms`);
}
