import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module';
import { KillSwitchModule } from '../kill-switch/kill-switch.module';
import { PositionsModule } from '../positions/positions.module';
import { ControlController } from './control.controller';
import { HaltService } from './halt.service';

@Module({
  imports: [KillSwitchModule, AuditModule, PositionsModule],
  controllers: [ControlController],
  providers: [HaltService],
})
export class ControlModule {}
