import { ApiProperty } from '@nestjs/swagger';
import {
  accountEvidenceFields,
  accountFields,
  equityPageFields,
  equityReadingFields,
  terminalInfoFields,
  unexplainedFields,
} from '@libs/records';
import { documented, documentedAnswer } from '../http/documented';

/** The 28 fields of the terminal's account record, beside `ok`. Money in the deposit currency. */
export class AccountResponse extends documentedAnswer(accountFields) {}

/** The 22 fields of the terminal's own record, beside `ok`. */
export class TerminalInfoResponse extends documentedAnswer(terminalInfoFields) {}

/** One thing that the terminal shows and nothing explains. */
class UnexplainedFields extends documented(unexplainedFields) {}

/** Whether what the terminal shows of the account is explained. */
export class AccountEvidenceFields extends documented(accountEvidenceFields) {
  @ApiProperty({ type: [UnexplainedFields], description: 'What nothing explains: the first 100; empty if all is.' })
  unexplained: readonly UnexplainedFields[];
}

export class AccountAcceptedResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ example: 'the account is accepted as the terminal shows it' })
  message: string;

  @ApiProperty({ type: AccountEvidenceFields })
  account_evidence: AccountEvidenceFields;
}

/** Balance and equity as they were at one time. */
class EquityReadingResponse extends documented(equityReadingFields) {}

export class EquityResponse extends documentedAnswer(equityPageFields) {
  @ApiProperty({ type: [EquityReadingResponse] })
  data: readonly EquityReadingResponse[];

  @ApiProperty({ type: 'integer', example: 1, description: 'Rows of this answer.' })
  total: number;
}
