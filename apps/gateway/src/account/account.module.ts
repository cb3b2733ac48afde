import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module';
import { ReadCacheModule } from '../read-cache/read-cache.module';
import { StreamsModule } from '../streams/streams.module';
import { TerminalModule } from '../terminal/terminal.module';
import { AccountAcceptance } from './account-acceptance';
import { AccountController } from './account.controller';

/** The account's record, and the operator's acceptance of an account that nothing explains. */
@Module({
  imports: [TerminalModule, ReadCacheModule, StreamsModule, AuditModule],
  controllers: [AccountController],
  providers: [AccountAcceptance],
})
export class AccountModule {}
