import { publishedText, type FleetReport } from './fleet-report';

const positions = Array.from({ length: 100 }, (_, ticket) => ({ ticket }));
const report: FleetReport = {
  health: { status: 'ok', perStrategy: [{ name: 'trend' }] },
  list: [{ name: 'trend', state: 'running' }],
  status: [{ name: 'trend', equity: 7, positions }],
};
const published = (most: number): FleetReport => JSON.parse(publishedText(report, most)) as FleetReport;

describe('the report that a host publishes', () => {
  it('is published as a whole if it is short enough', () => {
    expect(published(10_000)).toEqual(report);
  });

  it('leaves out long members first, and they are null and not empty', () => {
    const status = [{ name: 'trend', equity: 7, positions: null, isShortened: true }];
    expect(published(300)).toEqual({ ...report, status });
  });

  it('is never longer than the maximum', () => {
    expect(published(140)).toEqual({ ...report, status: [] });
    expect(published(60)).toEqual({ health: { status: 'ok' }, list: [], status: [] });
    expect(published(1)).toEqual({ health: {}, list: [], status: [] });
  });
});
