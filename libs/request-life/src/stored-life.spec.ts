import { storedStatuses, statusOf, type SendState } from './request-state';
import { storedLife } from './stored-life';

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
});
