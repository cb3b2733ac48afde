import { isOnVolumeGrid, nearestVolumes } from '@libs/terminal-client';
import type { Market, ProposedOrder } from './proposed-order';
import { fieldRefused, type OrderRefusal } from './refusal';

/** The symbol's minimum, maximum and step of volume; volumes are never rounded silently. */
export function volumeOnGrid(order: Pick<ProposedOrder, 'volume'>, { info }: Market): OrderRefusal | null {
  const { volume_min: min, volume_max: max, volume_step: step } = info;
  if (order.volume >= min && order.volume <= max && isOnVolumeGrid(order.volume, info)) return null;
  const nearest = nearestVolumes(order.volume, info);
  return fieldRefused(
    'volume',
    `must be ${min} to ${max} in steps of ${step}; nearest: ${nearest.join(' or ')}`,
    { volume_min: min, volume_max: max, volume_step: step, nearest },
    order.volume,
  );
}
