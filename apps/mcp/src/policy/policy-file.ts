import { ArrayNotEmpty, IsArray, IsBoolean, IsIn, IsString, Matches } from 'class-validator';
import { allOf, Integer, Mapping, Optional, PositiveNumber } from '@libs/validation';

/** What a handle may do. */
export const tradeActions = ['open', 'close', 'change', 'cancel'] as const;
export type TradeAction = (typeof tradeActions)[number];
const approvalWays = ['elicitation', 'terminal'] as const;
type ApprovalWay = (typeof approvalWays)[number];
export const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

/** 32 bytes in Base64. */
const publicKeyForm = /^[A-Za-z0-9+/]{43}=$/;
const publicKeys = 'must be a list of public keys, as trading-mcp approval-key prints them';
const timeOfDay = { message: 'must be a time such as "07:30"' };

function Some<Word extends string>(words: readonly Word[]): PropertyDecorator {
  const message = `must be a list with some of ${words.join(', ')}`;
  return allOf(IsArray({ message }), ArrayNotEmpty({ message }), IsIn(words, { each: true, message }));
}

/** Days and times in UTC. */
class PolicyHours {
  @Some(weekdays)
  days: readonly string[] = [];

  @Matches(/^([01]\d|2[0-3]):[0-5]\d$/, timeOfDay)
  from = '00:00';

  /** The end is not a part of it; 24:00 is the end of the day. At or before `from`: on the next day. */
  @Matches(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, timeOfDay)
  to = '24:00';
}

/** What is sent without a person. All of it has to hold. */
export class WithoutPerson {
  /** Only on a demo account. */
  @IsBoolean({ message: 'must be true or false' })
  paper_only = true;

  @Some(tradeActions)
  actions: readonly TradeAction[] = [];

  @IsString({ each: true, message: 'must be a list of symbols' })
  @IsArray({ message: 'must be a list of symbols' })
  @ArrayNotEmpty({ message: 'must be a list of symbols' })
  symbols: readonly string[] = [];

  /** Lots of one request. */
  @PositiveNumber(1_000_000)
  max_lots = 0;

  /** Lots of all positions and pending orders of the magic number together, with the new one. */
  @PositiveNumber(1_000_000)
  max_open_lots = 0;

  /** Money at risk of one request, in the deposit currency. A request without a stop loss has no bound and is outside. */
  @PositiveNumber()
  max_loss = 0;

  @Integer(1, 10_000)
  max_requests_per_hour = 0;

  @Integer(1, 100_000)
  max_requests_per_day = 0;

  @Optional()
  @Mapping(PolicyHours)
  hours?: PolicyHours;
}

/** The file that MCP_POLICY_FILE names. */
export class PolicyFile {
  /** There are no tools that trade. */
  @IsBoolean({ message: 'must be true or false' })
  read_only = false;

  /** How a person may approve a request. An empty list is refused: set `read_only`. */
  @Some(approvalWays)
  approve_by: readonly ApprovalWay[] = approvalWays;

  /** Public keys of those who may approve in a terminal, as `trading-mcp approval-key` prints them. */
  @Matches(publicKeyForm, { each: true, message: publicKeys })
  @IsArray({ message: publicKeys })
  approval_keys: readonly string[] = [];

  /** How long a handle may be executed. */
  @Integer(10, 3_600)
  handle_seconds = 300;

  /** The magic number of its orders. Without a person only positions and orders of this number are touched. */
  @Integer(1, Number.MAX_SAFE_INTEGER)
  magic = 40_040;

  @Optional()
  @Mapping(WithoutPerson)
  without_person?: WithoutPerson;
}
