import { Module } from '@nestjs/common';
import { ServerTimeModule } from '../server-time/server-time.module';
import { TerminalModule } from '../terminal/terminal.module';
import { QuoteAges } from './quote-ages';
import { SelectedSymbols } from './selected-symbols';
import { SymbolService } from './symbol.service';
import { SymbolsController } from './symbols.controller';
import { TickBodies } from './tick-bodies';
import { UnknownSymbols } from './unknown-symbols';

@Module({
  imports: [TerminalModule, ServerTimeModule],
  controllers: [SymbolsController],
  providers: [SelectedSymbols, SymbolService, TickBodies, UnknownSymbols, QuoteAges],
  exports: [SelectedSymbols, SymbolService, UnknownSymbols, QuoteAges],
})
export class SymbolsModule {}
