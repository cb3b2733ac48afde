import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DiscoveryModule, DiscoveryService, MetadataScanner } from '@nestjs/core';
import { PATH_METADATA, METHOD_METADATA } from '@nestjs/common/constants';
import { RequestMethod } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import pino from 'pino';
import { GatewayModule } from '../gateway.module';
import { readGatewaySettings } from '../gateway.config';
import { routeFactsOf, type RouteFacts } from './route-facts';

/** Every route of the gateway with its facts: A access, T terminal, K kill-gated, I idempotent. */
const expected: Readonly<Record<string, string>> = {
  'GET /health/live': 'public',
  'GET /health/ready': 'bearer',
  'GET /health': 'bearer',
  'GET /metrics': 'bearer',
  'POST /kill': 'bearer',
  'POST /kill/release': 'bearer',
  'GET /reconcile': 'bearer T',
  'GET /account': 'bearer T',
  'GET /symbols': 'bearer T',
  'GET /symbol_info/:symbol': 'bearer T',
  'GET /symbol_info_tick/:symbol': 'bearer T',
  'GET /fetch_data_pos': 'bearer T',
  'GET /fetch_data_range': 'bearer T',
  'GET /copy_ticks_range': 'bearer T',
  'GET /stream/ticks': 'bearer T',
  'GET /stream/trades': 'bearer T',
  'GET /events': 'bearer',
  'POST /order': 'bearer T K I',
  'POST /order_check': 'bearer T',
  'POST /order_calc_margin': 'bearer T',
  'POST /order_calc_profit': 'bearer T',
  'GET /orders': 'bearer T',
  'PUT /orders/:ticket': 'bearer T K I',
  'DELETE /orders/:ticket': 'bearer T I',
  'GET /get_positions': 'bearer T',
  'GET /positions_total': 'bearer T',
  'POST /modify_sl_tp': 'bearer T K I',
  'POST /close_position': 'bearer T K I',
  'POST /position_close_partial': 'bearer T K I',
  'POST /close_all_positions': 'bearer T K I',
  'GET /trade_requests/:key': 'bearer',
  'GET /history_deals_get': 'bearer T',
  'GET /history_deals_range': 'bearer T',
  'GET /history_orders_get': 'bearer T',
  'GET /get_deal_from_ticket': 'bearer T',
  'GET /get_order_from_ticket': 'bearer T',
  'GET /last_error': 'bearer T',
  'GET /last_error_str': 'bearer T',
};

function shortly(facts: RouteFacts): string {
  return [facts.access, facts.terminal && 'T', facts.killGated && 'K', facts.idempotent && 'I']
    .filter(Boolean)
    .join(' ');
}

const folder = mkdtempSync(join(tmpdir(), 'route-facts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function declaredRoutes(): Promise<Record<string, string>> {
  const settings = readGatewaySettings({ ORDER_AUDIT_FILE: join(folder, 'audit.jsonl') });
  const module = await Test.createTestingModule({
    imports: [GatewayModule.with(settings, pino({ level: 'silent' })), DiscoveryModule],
  }).compile();
  const routes: Record<string, string> = {};
  for (const { instance, metatype } of module.get(DiscoveryService).getControllers()) {
    if (!instance || !metatype) continue;
    const prototype = Object.getPrototypeOf(instance) as Record<string, object>;
    for (const name of new MetadataScanner().getAllMethodNames(prototype)) {
      const handler = prototype[name];
      const method = handler && (Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined);
      if (handler === undefined || method === undefined) continue;
      const path = [metatype, handler]
        .map((target) => String(Reflect.getMetadata(PATH_METADATA, target)).replace(/^\/|\/$/g, ''))
        .filter((part) => part !== '')
        .join('/');
      const facts = routeFactsOf(handler);
      routes[`${RequestMethod[method]} /${path}`] = facts === null ? 'UNDECLARED' : shortly(facts);
    }
  }
  return routes;
}

describe('the facts of every route', () => {
  it('are declared, and are those of the contract', async () => {
    expect(await declaredRoutes()).toEqual(expected);
  });
});
