import { Module } from '@nestjs/common';
import { TerminalModule } from '../terminal/terminal.module';
import { AccountController } from './account.controller';

@Module({ imports: [TerminalModule], controllers: [AccountController] })
export class AccountModule {}
