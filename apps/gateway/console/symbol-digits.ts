import type { GatewayClient } from '@libs/gateway-client';
import { signal } from '@preact/signals';

/** The digits of the prices of symbols. Each is read once; what shows it is drawn again when it is known. */
export class SymbolDigits {
  private readonly known = signal<ReadonlyMap<string, number>>(new Map());
  private readonly asked = new Set<string>();

  constructor(private readonly client: GatewayClient) {}

  /** Undefined while they are not known. */
  of(symbol: string): number | undefined {
    if (!this.asked.has(symbol)) void this.read(symbol);
    return this.known.value.get(symbol);
  }

  private async read(symbol: string): Promise<void> {
    this.asked.add(symbol);
    try {
      const { digits } = await this.client.reads.symbolInfo(symbol);
      this.known.value = new Map([...this.known.peek(), [symbol, digits]]);
    } catch {
      this.asked.delete(symbol);
    }
  }
}
