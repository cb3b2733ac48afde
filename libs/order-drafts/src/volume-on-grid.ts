import { isOnVolumeGrid, nearestVolumes, volumeText } from '@libs/terminal-client';
import type { Market, ProposedOrder } from './proposed-order';
import { askedVolumeText, fieldRefused, type OrderRefusal } from './refusal';

/** The symbol's minimum, maximum and step of volume; volumes are never rounded silently. */
export function volumeOnGrid(order: Pick<ProposedOrder, 'volume'>, { info }: Market): OrderRefusal | null {
  const { volume_min: min, volume_max: max, volume_step: step } = info;
  if (order.volume >= min && order.volume <= max && isOnVolumeGrid(order.volume, info)) return null;
  const nearest = nearestVolumes(order.volume, info);
  return fieldRefused(
    'volume',
    `must be ${volumeText(min)} to ${volumeText(max)} in steps of ${volumeText(step)}; nearest: ${nearest.map(volumeText).join(' or ')}`,
    { volume_min: min, volume_max: max, volume_step: step, nearest },
    order.volume,
    askedVolumeText(order.volume),
  );
}
