import type { HttpAnswer } from '../asks';

/** What has kept orders from being taken for longer than the gateway may take to notice. */
export interface Obstacles {
  readonly halted: boolean;
  /** A disk takes no writes. */
  readonly unwritable: boolean;
  readonly unreachable: boolean;
  readonly atMs: number;
}

/** Healthy, or ready, is not said while orders cannot be taken. @param answer of /health or /health/ready */
export function saidHealthy({ status, body }: Pick<HttpAnswer, 'status' | 'body'>, obstacles: Obstacles): string[] {
  const says = body['status'] === 'healthy' ? 'healthy' : status === 200 && body['status'] === 'ready' ? 'ready' : null;
  if (says === null) return [];
  const { halted, unwritable, unreachable, atMs } = obstacles;
  const reasons = [
    ...(halted ? ['trading is halted'] : []),
    ...(unwritable ? ['a disk takes no writes'] : []),
    ...(unreachable ? ['the terminal cannot be reached'] : []),
  ];
  return reasons.map((reason) => `the gateway says that it is ${says} at ${atMs} ms, while ${reason}`);
}
