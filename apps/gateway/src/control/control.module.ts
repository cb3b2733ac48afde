import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module';
import { KillSwitchModule } from '../kill-switch/kill-switch.module';
import { PositionsModule } from '../positions/positions.module';
import { TradeJournalModule } from '../trade-journal/trade-journal.module';
import { ControlController } from './control.controller';
import { FencesController } from './fences.controller';
import { HaltService } from './halt.service';
import { JournalAcceptance } from './journal-acceptance';
import { JournalController } from './journal.controller';
import { RaiseFenceService } from './raise-fence.service';

@Module({
  imports: [KillSwitchModule, AuditModule, PositionsModule, TradeJournalModule],
  controllers: [ControlController, FencesController, JournalController],
  providers: [HaltService, JournalAcceptance, RaiseFenceService],
})
export class ControlModule {}
