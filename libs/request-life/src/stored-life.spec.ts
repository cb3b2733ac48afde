import { storedStatuses, statusOf, type SendState } from './request-state';
import { storedLife, withVoid } from './stored-life';

describe('the life of a request that is on disk', () => {
  it.each(storedStatuses)('%s keeps its status', (status) => {
    expect(statusOf(storedLife(status, {}).state)).toBe(status);
  });

  it.each<[readonly SendState[], string]>([
    [['unknown', 'undecidable'], 'unknown'],
    [['undecidable', 'undecidable'], 'undecidable'],
    [['done', 'undecidable'], 'undecidable'],
    [['done', 'absent'], 'unknown'],
    [[], 'unknown'],
  ])('is, with the sends %j of an unknown request, %s', (sends, state) => {
    const byId = Object.fromEntries(sends.map((send, index) => [`id/${index}`, send]));
    expect(storedLife('unknown', byId).state).toBe(state);
  });

  it('is void only while nothing was written for it', () => {
    expect(withVoid(undefined, 'none').state).toBe('free');
    expect(withVoid(undefined, 'being_written').state).toBe('voiding');
    expect(withVoid(undefined, 'written').state).toBe('void');
    expect(withVoid({ state: 'reserved', sends: {} }, 'being_written').state).toBe('reserved_voiding');
    expect(withVoid({ state: 'reserved', sends: {} }, 'written').state).toBe('reserved_void');
    expect(withVoid(storedLife('completed', {}), 'written').state).toBe('completed');
  });
});
