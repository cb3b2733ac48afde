import { Module } from '@nestjs/common';
import { ServerTimeModule } from '../server-time/server-time.module';
import { TerminalModule } from '../terminal/terminal.module';
import { SymbolService } from './symbol.service';
import { SymbolsController } from './symbols.controller';

@Module({
  imports: [TerminalModule, ServerTimeModule],
  controllers: [SymbolsController],
  providers: [SymbolService],
  exports: [SymbolService],
})
export class SymbolsModule {}
