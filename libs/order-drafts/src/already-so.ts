import { Retcode } from '@libs/terminal-client';

/** Codes that mean "unchanged": nothing was done because nothing was left to do. */
const alreadySo: Readonly<Record<string, Retcode>> = {
  modify_levels: Retcode.NO_CHANGES,
  modify_order: Retcode.NO_CHANGES,
  close: Retcode.POSITION_CLOSED,
};

/**
 * True for an answer that is a success only because nothing had to change (10025 on modify, 10036 on close).
 * @param purpose what the request was for, as in the journal
 */
export function wasAlreadySo(purpose: string, retcode: number): boolean {
  return alreadySo[purpose] === retcode;
}
