import { ApiError } from '@libs/envelope';
import type { FenceClaim } from '../trade-core/fence';
import type { FenceProblem, RefusedRaise } from '../trade-core/fence-rules';

const put = (name: string): string => `PUT /fences/${name}`;

/** The error for a request that its fence does not allow to trade: nothing was done. */
export function fenceRefusal(claim: FenceClaim | null, problem: FenceProblem): ApiError {
  const details = { fence: claim?.name ?? null, token: claim?.token ?? null };
  if (problem.kind === 'magic') {
    const { magic, owner, certainty } = problem;
    const message =
      certainty === 'certain'
        ? `magic ${magic} belongs to the fence ${owner}: send X-Fence with its token`
        : `an entry of the fence ${owner} without a known order may have opened this: send X-Fence with its token, or repeat once /reconcile shows no such entry`;
    return new ApiError('fence_required', message, { details: { ...details, magic, owner } });
  }
  const { name, token } = claim ?? { name: '', token: 0 };
  const { stored } = problem;
  const full = { details: { ...details, stored } };
  switch (problem.kind) {
    case 'lower':
      return new ApiError('fenced_out', `the fence ${name} is at token ${stored}: token ${token} is fenced out`, full);
    case 'held': {
      const message = `the trade journal was lost or restored since the fence ${name} was raised: ${put(name)} first`;
      return new ApiError('fence_required', message, full);
    }
    case 'not_raised': {
      const state = stored === null ? 'was never raised' : `is at token ${stored}, not at ${token}`;
      return new ApiError('fence_required', `the fence ${name} ${state}: ${put(name)} first`, full);
    }
  }
}

/** The error for a raise that is refused. */
export function raiseRefusal(name: string, token: number, refused: RefusedRaise): ApiError {
  const [stored, message] =
    refused.kind === 'conflict'
      ? [refused.stored, `the fence ${name} needs a token above ${refused.stored}; ${token} is not`]
      : [
          token,
          `the fence ${name} is at token ${token} already: raise the token to add magic ${refused.magics.join(', ')}`,
        ];
  return new ApiError('fence_conflict', message, { details: { fence: name, token, stored } });
}

/** The raise is on disk, and a send under a lower token has no outcome yet. */
export function fencePending(name: string, sends: number): ApiError {
  const message = `the fence ${name} is raised; sends under a lower token without an outcome: ${sends}; repeat the request`;
  return new ApiError('fence_pending', message, { headers: { 'retry-after': '1' }, details: { fence: name, sends } });
}
