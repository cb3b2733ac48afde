import { journalVerdict } from './journal-verdict';

const line = (text: string): string => `CS\t0\t12:00:00.000\tNetwork\t${text}`;

describe('The verdict of the journal on a login', () => {
  it.each([
    "'5012345': authorized on Acme-Demo through Access Point 1 (ping: 20.00 ms, build 4000)",
    "'5012345': authorized on Acme-Demo",
    '5012345: authorized on Acme-Demo',
  ])('is success for %s', (text) => {
    expect(journalVerdict([line(text)], 5012345)).toMatchObject({ kind: 'authorised' });
  });

  it.each([
    ['Invalid account', 'refused'],
    ['Invalid password', 'refused'],
    ['Account disabled', 'refused'],
    ['No connection', 'failed'],
    ['Common error', 'failed'],
  ])('is for "%s": %s', (reason, kind) => {
    expect(journalVerdict([line(`'5012345': authorization on Acme-Demo failed (${reason})`)], 5012345)).toEqual({
      kind,
      reason,
    });
  });

  it('is success after an earlier failure', () => {
    const lines = ["'1': authorization on A failed (No connection)", "'1': authorized on A"].map(line);
    expect(journalVerdict(lines, 1)?.kind).toBe('authorised');
  });

  it.each([
    "'15012345': authorized on Acme",
    "'50123456': authorized on Acme",
    "'7': authorized on Acme",
    "'5012345': disconnected",
  ])('is nothing for %s', (text) => {
    expect(journalVerdict([line(text)], 5012345)).toBeUndefined();
  });
});
