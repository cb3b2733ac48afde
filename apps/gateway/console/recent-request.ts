import type { RecentRequest } from '@libs/gateway-client';

const words: Readonly<Record<RecentRequest['outcome'], string>> = {
  done: 'done',
  in_part: 'done in part',
  rejected: 'rejected',
  refused: 'refused',
  absent: 'not done',
  void: 'void',
  in_progress: 'in flight',
  unknown: 'unknown',
  accepted: 'unknown',
};

/** What came of a request, in the words of the other lists. */
export function outcomeText({ outcome }: Pick<RecentRequest, 'outcome'>): string {
  return words[outcome] ?? outcome;
}

/** Whether it asks for a look: anything but done. */
export function isUndone({ outcome }: Pick<RecentRequest, 'outcome'>): boolean {
  return outcome !== 'done';
}

/** Why it was not done; empty if it was, or if nothing states it. */
export function reasonText(
  row: Pick<RecentRequest, 'outcome' | 'error_type' | 'setting' | 'retcode_name' | 'sends'>,
): string {
  const { outcome, error_type: type, setting, retcode_name: retcode, sends } = row;
  if (outcome === 'done') return sends > 1 ? `${sends} sends` : '';
  if (outcome === 'absent') return 'the look-up found no trace of it';
  if (outcome === 'void') return 'nothing is ever sent under it';
  if (outcome === 'accepted') return 'an operator accepted that it stays unknown';
  if (outcome === 'unknown') return 'the broker may have acted';
  if (retcode !== null && outcome === 'rejected') return retcode;
  const cause = type === null ? '' : type.replaceAll('_', ' ');
  return setting === null ? cause : `${cause} (${setting})`;
}

/** When it was sent, UTC: the day only if it is not today. @param today such as `2026-01-05` */
export function sentText(at: string, today: string): string {
  const [day, time = ''] = at.slice(0, 19).split('T');
  return day === today ? time : `${day} ${time}`;
}
