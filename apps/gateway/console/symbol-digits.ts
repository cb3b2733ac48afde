import { volumeText, type GatewayClient } from '@libs/gateway-client';
import { signal } from '@preact/signals';

interface Digits {
  readonly price: number;
  readonly volume: number;
}

/** The digits of the prices and volumes of symbols. Each is read once; what shows it is drawn again when it is known. */
export class SymbolDigits {
  private readonly known = signal<ReadonlyMap<string, Digits>>(new Map());
  private readonly asked = new Set<string>();

  constructor(private readonly client: GatewayClient) {}

  /** Of its prices; undefined while they are not known. */
  of(symbol: string): number | undefined {
    return this.digitsOf(symbol)?.price;
  }

  /** Of its volumes, by their step; undefined while they are not known. */
  ofVolume(symbol: string): number | undefined {
    return this.digitsOf(symbol)?.volume;
  }

  private digitsOf(symbol: string): Digits | undefined {
    if (!this.asked.has(symbol)) void this.read(symbol);
    return this.known.value.get(symbol);
  }

  private async read(symbol: string): Promise<void> {
    this.asked.add(symbol);
    try {
      const { digits, volume_step: step } = await this.client.reads.symbolInfo(symbol);
      const volume = volumeText(step).split('.')[1]?.length ?? 0;
      this.known.value = new Map([...this.known.peek(), [symbol, { price: digits, volume }]]);
    } catch {
      this.asked.delete(symbol);
    }
  }
}
