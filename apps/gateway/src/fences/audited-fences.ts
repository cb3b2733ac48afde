import type { AuditLines } from '../audit/audit-lines';
import type { WantedFence } from '../trade-core/fence';

/** The fences that the last lines of the audit log report. @param lines newest first */
export function auditedFences(lines: AuditLines): Map<string, WantedFence> {
  const fences = new Map<string, WantedFence>();
  const taken = new Set<number>();
  for (const { event, fence: name, fence_token: token, fence_magics: magics } of lines) {
    if (event !== 'fence_raised' || typeof name !== 'string' || typeof token !== 'number') continue;
    const known = fences.get(name);
    // A magic number belongs to the fence that named it last.
    const own = numbersIn(magics).filter((magic) => !taken.has(magic));
    for (const magic of own) taken.add(magic);
    fences.set(name, { token: Math.max(token, known?.token ?? 0), magics: [...(known?.magics ?? []), ...own] });
  }
  return fences;
}

function numbersIn(value: unknown): number[] {
  return Array.isArray(value) ? value.filter((one): one is number => typeof one === 'number') : [];
}
