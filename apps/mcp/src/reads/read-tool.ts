import type { GatewayClient } from '@libs/gateway-client';
import { z } from 'zod';

/** A tool that reads and changes nothing. */
export interface ReadTool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** @throws GatewayReadError, BadCursorError */
  readonly read: (gateway: GatewayClient, args: unknown) => Promise<object>;
}

/** Declares one; the read receives the checked input. An input that the schema does not name is refused. */
export function readTool<Shape extends z.ZodRawShape>(
  name: string,
  description: string,
  shape: Shape,
  output: z.ZodObject,
  read: (gateway: GatewayClient, args: z.output<z.ZodObject<Shape>>) => Promise<object>,
): ReadTool {
  const input = z.strictObject(shape);
  const checked = z.object(shape);
  return { name, description, input, output, read: async (gateway, args) => read(gateway, checked.parse(args ?? {})) };
}
