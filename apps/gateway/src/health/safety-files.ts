import { Injectable } from '@nestjs/common';
import { AuditLog, type AuditLogStatus } from '../audit/audit-log';
import { KillSwitch, type KillSwitchFileStatus } from '../kill-switch/kill-switch';

export interface SafetyFilesReport {
  readonly kill_switch_active: boolean;
  readonly kill_switch_file: KillSwitchFileStatus;
  readonly audit: AuditLogStatus;
}

/** State of the files that safe trading needs: the kill-switch file and the audit log. */
@Injectable()
export class SafetyFiles {
  constructor(
    private readonly killSwitch: KillSwitch,
    private readonly audit: AuditLog,
  ) {}

  async report(): Promise<SafetyFilesReport> {
    return {
      kill_switch_active: await this.killSwitch.isActive(),
      kill_switch_file: this.killSwitch.status,
      audit: this.audit.status,
    };
  }
}
