import {
  inputRequired,
  inputResponse,
  type CallToolResult,
  type InputRequiredResult,
  type McpServer,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { given, lotsInput, orderTypeInput } from '../reads/account-tools';
import { symbolInput } from '../reads/schemas';
import { asData } from '../text/broker-text';
import { errorResult, result } from '../text/tool-result';
import { executionAnswer, executionOutput, lookUpAnswer } from './execution-answer';
import { digestOf, requestText, wordsOf, type HandleRecord } from './handle-record';
import type { Moment } from './moment';
import type { TradeDesk } from './trade-desk';
import type { TradeWish } from './trade-plan';

/** What an approval that was asked for is bound to. */
export interface AskedState {
  readonly digest: string;
}

interface TradeTools {
  readonly server: McpServer;
  readonly desk: TradeDesk;
  readonly now: () => Moment;
  readonly states: RequestStateCodec<AskedState>;
  /** Whether this client can put a question to its person. */
  readonly canAsk: (context: ServerContext) => boolean;
}

const price = z.number().positive();
const ticket = z.int().positive();
const levels = {
  sl: price.optional(),
  tp: price.optional(),
  clear_sl: z.boolean().optional().describe('Removes the stop loss: the loss has no bound then.'),
  clear_tp: z.boolean().optional(),
};
const handleInput = z.strictObject({ handle: z.string().min(1).max(128).describe('`handle` of a preview.') });

const previewOutput = z.object({
  handle: z.string().describe('For execute_order.'),
  expires_at: z.string().describe('ISO-8601 UTC.'),
  request: z.object({ method: z.string(), path: z.string(), body: z.unknown() }).describe('The exact request.'),
  login: z.number(),
  margin: z.number().nullable().describe('Deposit currency.'),
  money_at_risk: z.number().nullable().describe('Loss at the stop loss, deposit currency; null: it has no bound.'),
  currency: z.string(),
  needs_person: z.boolean(),
  needs_person_because: z.array(z.string()),
});

/** Registers the tools that trade. Nothing but `execute_order` sends anything. */
export function registerTradeTools(tools: TradeTools): void {
  registerPreviews(tools);
  const { server, desk, now } = tools;
  server.registerTool(
    'execute_order',
    {
      description:
        'Sends the request of a handle, if the policy of the operator or a person allows it. The handle is all that it takes. ' +
        'After a lost answer or `unknown`, only the same handle is to be used.',
      inputSchema: handleInput,
      outputSchema: executionOutput,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
    },
    ({ handle }, context) => execute(tools, handle, context),
  );
  server.registerTool(
    'get_order_outcome',
    {
      description: 'What became of a handle. It sends nothing.',
      inputSchema: handleInput,
      outputSchema: executionOutput,
      annotations: { readOnlyHint: true, openWorldHint: true },
    },
    async ({ handle }) => {
      try {
        return result(lookUpAnswer(desk, handle, await desk.lookUp(handle), now()));
      } catch (error) {
        return errorResult(error, 'Nothing is known of the outcome by this. Look it up with the same handle again.');
      }
    },
  );
}

function registerPreviews(tools: TradeTools): void {
  const order = z.strictObject({
    symbol: symbolInput,
    volume: lotsInput,
    type: orderTypeInput,
    price: price.optional().describe('Of a pending order; a market order has none.'),
    stoplimit: price.optional(),
    sl: price.optional().describe('Stop loss. Without one the loss has no bound, and a person has to approve it.'),
    tp: price.optional().describe('Take profit.'),
    deviation: z.int().min(0).max(100_000).optional().describe('Points.'),
  });
  preview(tools, 'preview_order', 'Prepares a market or pending order', order, ({ symbol, volume, type, ...rest }) => ({
    kind: 'order',
    order: { symbol, volume, type, ...given(rest) },
  }));
  const close = z.strictObject({ position: ticket, volume: lotsInput.optional().describe('Lots; all by default.') });
  preview(tools, 'preview_close', 'Prepares the close of a position, or of a part', close, ({ position, ...rest }) => ({
    kind: 'close',
    position,
    ...given(rest),
  }));
  const change = z.strictObject({ position: ticket, ...levels });
  preview(tools, 'preview_levels', 'Prepares another stop loss or take profit', change, ({ position, ...rest }) => ({
    kind: 'levels',
    position,
    ...given(rest),
  }));
  const pending = z.strictObject({ order: ticket, price: price.optional(), stoplimit: price.optional(), ...levels });
  preview(
    tools,
    'preview_order_change',
    'Prepares the change of a pending order',
    pending,
    ({ order: of, ...rest }) => ({
      kind: 'order_change',
      order: of,
      ...given(rest),
    }),
  );
  const cancel = z.strictObject({ order: ticket });
  preview(tools, 'preview_cancel', 'Prepares the cancellation of a pending order', cancel, ({ order: of }) => ({
    kind: 'cancel',
    order: of,
  }));
}

function preview<Shape extends z.ZodRawShape>(
  { server, desk }: TradeTools,
  name: string,
  description: string,
  inputSchema: z.ZodObject<Shape, z.core.$strict>,
  wishOf: (input: z.output<z.ZodObject<Shape, z.core.$strict>>) => TradeWish,
): void {
  const config = {
    description: `${description}: the exact request, its margin and money at risk, and a handle. It sends nothing.`,
    inputSchema,
    outputSchema: previewOutput,
    annotations: { readOnlyHint: true, openWorldHint: true },
  };
  server.registerTool(name, config, async (input) => {
    try {
      return result(previewAnswer(await desk.preview(wishOf(inputSchema.parse(input)))));
    } catch (error) {
      return errorResult(error, 'There is no handle, and nothing was sent.');
    }
  });
}

function previewAnswer({ record, reasons }: { record: HandleRecord; reasons: readonly string[] }): object {
  const { handle, plan, expiresMs } = record;
  return {
    handle,
    expires_at: new Date(expiresMs).toISOString(),
    request: { method: plan.call.method, path: plan.call.path, body: plan.call.body ?? null },
    login: plan.login,
    margin: plan.margin,
    money_at_risk: plan.atRisk,
    currency: asData(plan.currency, 'currency'),
    needs_person: reasons.length > 0,
    needs_person_because: [...reasons],
  };
}

/** The key of the question in a request for input. */
const question = 'approval';

async function execute(
  tools: TradeTools,
  handle: string,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { desk, canAsk } = tools;
  try {
    const record = desk.find(handle);
    const answer = record === null ? null : answerIn(context, record);
    const execution = await desk.execute(handle, answer);
    // Asked once in a call: a person who gave no approval is not asked until there is one.
    const isAsking = execution.kind === 'needs_person' && context.mcpReq.requestState() === undefined;
    if (isAsking && desk.policy.approve_by.includes('elicitation') && canAsk(context)) {
      return await asked(tools, execution.record, execution.reasons, context);
    }
    const said = executionAnswer(handle, execution);
    return result(said, said.status !== 'done');
  } catch (error) {
    return errorResult(error, 'Call get_order_outcome with the same handle before anything else.');
  }
}

/** What the person said who was asked about this very request. An answer without our question is none. */
function answerIn({ mcpReq }: ServerContext, record: HandleRecord): 'approved' | 'declined' | null {
  const state = mcpReq.requestState<AskedState>();
  if (typeof state !== 'object' || state.digest !== digestOf(record)) return null;
  const response = inputResponse(mcpReq.inputResponses, question);
  if (response.kind !== 'elicit') return null;
  if (response.action === 'decline') return 'declined';
  // Its own words: a client that accepts every question with what the schema offers approves nothing.
  const typed = response.action === 'accept' ? response.content?.['type_to_approve'] : null;
  return typeof typed === 'string' && typed.trim() === wordsOf(record) ? 'approved' : null;
}

async function asked(
  { states }: TradeTools,
  record: HandleRecord,
  reasons: readonly string[],
  context: ServerContext,
): Promise<InputRequiredResult> {
  const message = [
    'An agent asks to send this trade request:',
    requestText(record),
    `It needs you because ${reasons.join('; ')}.`,
    `To approve it, type: ${wordsOf(record)}`,
  ].join('\n');
  const requestedSchema = {
    type: 'object' as const,
    properties: { type_to_approve: { type: 'string' as const, title: 'Type the words above to approve' } },
    required: ['type_to_approve'],
  };
  return inputRequired({
    inputRequests: { [question]: inputRequired.elicit({ message, requestedSchema }) },
    requestState: await states.mint({ digest: digestOf(record) }, context),
  });
}
