import { ApiProperty } from '@nestjs/swagger';
import { signalFields, signalStepFields } from '@libs/records';
import { documented } from '../http/documented';

class SignalStep extends documented(signalStepFields) {}

/** An alert, as GET /signals and the event log have it. */
export class SignalEntry extends documented(signalFields) {
  @ApiProperty({ type: [SignalStep], description: 'Its requests, in order.' })
  requests: readonly SignalStep[];
}
