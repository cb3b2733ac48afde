import { Timeframe } from '@libs/terminal-client';
import { RunningSimulator } from '../testing/running-simulator';

const may = Date.UTC(2024, 4, 14, 10, 0, 31);

it('generated bars reach back for years on demand', async () => {
  const { client } = await RunningSimulator.start({ hours: 'market' }, may);
  const twoYearsAgo = Date.UTC(2022, 4, 16, 12) / 1_000;
  const minutes = await client.copyRatesRange('EURUSD', Timeframe.M1, twoYearsAgo, twoYearsAgo + 3_600);
  expect(minutes?.time.length).toBe(61);
  const weeks = await client.copyRatesFromPos('EURUSD', Timeframe.W1, 0, 110);
  expect(weeks?.time.length).toBe(110);
  expect(weeks?.time[109]).toBe(Date.UTC(2024, 4, 12) / 1_000);
});
