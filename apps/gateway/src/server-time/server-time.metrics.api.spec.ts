import { VirtualClock } from '@libs/clock';
import { gatewayUnderTest, removeFolder } from '../testing/gateway-under-test';

async function metricsOf(
  env: Record<string, string>,
  waitMs: number,
): Promise<{ offset: string | undefined; age: string | undefined }> {
  const clock = new VirtualClock(Date.UTC(2024, 4, 14, 10));
  const starting = gatewayUnderTest({ env, clock });
  await clock.advance(1_000);
  const gateway = await starting;
  await clock.advance(waitMs);
  const page = (await gateway.call('/metrics')).body;
  const valueOf = (name: string): string | undefined => new RegExp(`^${name} (\\S+)$`, 'm').exec(page)?.[1];
  const values = { offset: valueOf('server_time_offset_seconds'), age: valueOf('server_time_offset_age_seconds') };
  const stopping = gateway.stop();
  await clock.advance(1_000);
  await stopping;
  removeFolder(gateway.folder);
  return values;
}

describe('server time on the metrics page', () => {
  it('shows a configured offset, which has no age', async () => {
    expect(await metricsOf({ TERMINAL_SERVER_UTC_OFFSET_SECONDS: '7200' }, 0)).toEqual({
      offset: '7200',
      age: undefined,
    });
  });

  it('shows a derived offset with its age, once quotes have moved', async () => {
    const { offset, age } = await metricsOf({}, 60_000);
    expect(offset).toBe('10800');
    expect(Number(age)).toBeGreaterThanOrEqual(0);
  });

  it('shows nothing, never 0, while no offset is known', async () => {
    expect(await metricsOf({ TERMINAL_TIME_REFERENCE_SYMBOL: 'NOPE', SIM_HOURS: 'always' }, 0)).toEqual({
      offset: undefined,
      age: undefined,
    });
  });
});
