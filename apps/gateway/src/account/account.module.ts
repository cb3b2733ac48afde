import { join } from 'node:path';
import { Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '@libs/clock';
import { StoreEngine } from '@libs/store';
import { AuditModule } from '../audit/audit.module';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { ReadCacheModule } from '../read-cache/read-cache.module';
import { PeriodicWork } from '../schedule/periodic-work';
import { StreamsModule } from '../streams/streams.module';
import { TerminalAccess } from '../terminal/terminal-access';
import { BROKER_BOOKS, TerminalModule } from '../terminal/terminal.module';
import { AccountAcceptance } from './account-acceptance';
import { AccountController } from './account.controller';
import { EquityHistory, recordEveryMs } from './equity-history';
import { EquityStore } from './equity.store';

const readingsADay = 86_400_000 / recordEveryMs;

/** The account's record, its balance and equity over time, and the operator's acceptance of an account that nothing explains. */
@Module({
  imports: [TerminalModule, ReadCacheModule, StreamsModule, AuditModule],
  controllers: [AccountController],
  providers: [
    AccountAcceptance,
    {
      provide: EquityHistory,
      useFactory: (
        { STATE_DIR, EQUITY_DAYS }: GatewaySettings,
        stores: StoreEngine,
        terminal: TerminalAccess,
        clock: Clock,
        books: string,
      ) => {
        const open = (): EquityStore => new EquityStore(stores, join(STATE_DIR, 'equity'), EQUITY_DAYS * readingsADay);
        return new EquityHistory(open, terminal, clock, books);
      },
      inject: [GATEWAY_SETTINGS, StoreEngine, TerminalAccess, Clock, BROKER_BOOKS],
    },
  ],
})
export class AccountModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly equity: EquityHistory,
    private readonly periodic: PeriodicWork,
  ) {}

  onApplicationBootstrap(): void {
    this.periodic.start('equity', recordEveryMs, () => this.equity.record());
  }

  /** After the sockets are closed, because clients read it until then. */
  async onApplicationShutdown(): Promise<void> {
    await this.equity.close();
  }
}
