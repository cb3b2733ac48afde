import { Crowd } from './crowd';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('the crowd', () => {
  it('starts no request and closes no connection in the turns that it leaves to others', async () => {
    const crowd = new Crowd();
    const run: string[] = [];
    crowd.makeWay(2);
    crowd.requests.take(() => run.push('request'));
    crowd.closings.take(() => run.push('closing'));
    for (let turn = 0; turn < 2; turn++) await nextTurn();
    expect(run).toEqual([]);
    await nextTurn();
    expect(run.sort()).toEqual(['closing', 'request']);
  });
});
