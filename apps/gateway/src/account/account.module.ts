import { Module } from '@nestjs/common';
import { ReadCacheModule } from '../read-cache/read-cache.module';
import { TerminalModule } from '../terminal/terminal.module';
import { AccountController } from './account.controller';

@Module({ imports: [TerminalModule, ReadCacheModule], controllers: [AccountController] })
export class AccountModule {}
