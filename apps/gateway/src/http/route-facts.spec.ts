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
import { noSpans } from '@libs/tracing';
import { systemEdge } from '../gateway.edge';
import { routeFactsOf, type RouteFacts } from './route-facts';

/** Every route of the gateway with its facts: access, C changes something, T terminal, A of one account, K kill-gated, R adds risk, I idempotent. */
const expected: Readonly<Record<string, string>> = {
  'GET /health/live': 'public',
  'GET /health/ready': 'bearer',
  'GET /health': 'bearer',
  'GET /metrics': 'bearer',
  'POST /account/accept': 'bearer C A',
  'POST /journal/accept': 'bearer C A',
  'POST /kill': 'bearer C',
  'POST /kill/release': 'bearer C A',
  'GET /reconcile': 'bearer T A',
  'GET /account': 'bearer T A',
  'GET /account/equity': 'bearer T A',
  'GET /terminal_info': 'bearer T A',
  'GET /symbols': 'bearer T A',
  'GET /symbols_get': 'bearer T A',
  'GET /symbol_info/:symbol': 'bearer T A',
  'GET /symbol_info_tick/:symbol': 'bearer T A',
  'GET /market_book/:symbol': 'bearer T A',
  'GET /fetch_data_pos': 'bearer T A',
  'GET /fetch_data_range': 'bearer T A',
  'GET /copy_ticks_range': 'bearer T A',
  'GET /copy_rates_from': 'bearer T A',
  'GET /copy_ticks_from': 'bearer T A',
  'GET /server_time': 'bearer A',
  'GET /stream/ticks': 'bearer T A',
  'GET /stream/trades': 'bearer T A',
  'GET /events': 'bearer A',
  'GET /console/strategies': 'bearer',
  'GET /console/strategies/:name/log': 'bearer',
  'GET /console/strategies/:name/results': 'bearer',
  'POST /order': 'bearer C T A K R I',
  'POST /order_send': 'bearer C T A K R I',
  'POST /order_send/check': 'bearer T A',
  'POST /order_check': 'bearer T A',
  'POST /order_calc_margin': 'bearer T A',
  'POST /order_calc_profit': 'bearer T A',
  'GET /orders': 'bearer T A',
  'PUT /orders/:ticket': 'bearer C T A K R I',
  'DELETE /orders/:ticket': 'bearer C T A I',
  'GET /get_positions': 'bearer T A',
  'GET /positions_total': 'bearer T A',
  'POST /modify_sl_tp': 'bearer C T A K R I',
  'POST /close_position': 'bearer C T A K I',
  'POST /position_close_partial': 'bearer C T A K I',
  'POST /close_all_positions': 'bearer C T A K I',
  'GET /trade_requests': 'bearer A',
  'GET /trade_requests/:key': 'bearer A',
  'GET /trade_requests/:key/audit': 'bearer A',
  'GET /audit/verification': 'bearer',
  'PUT /trade_requests/:key/accept': 'bearer C A',
  'PUT /trade_requests/:key/void': 'bearer C A',
  'GET /fences': 'bearer A',
  'GET /fences/:strategy': 'bearer A',
  'PUT /fences/:strategy': 'bearer C A',
  'GET /notifications/set_aside': 'bearer A',
  'POST /notifications/retry': 'bearer C A',
  'POST /notifications/drop': 'bearer C A',
  'GET /signals': 'bearer A',
  'POST /signals/:name': 'secret C',
  'POST /signals/:name/:secret': 'secret C',
  'GET /history_deals_get': 'bearer T A',
  'GET /history_deals_range': 'bearer T A',
  'GET /history_orders_get': 'bearer T A',
  'GET /history_deals_total': 'bearer T A',
  'GET /history_orders_total': 'bearer T A',
  'GET /get_deal_from_ticket': 'bearer T A',
  'GET /get_order_from_ticket': 'bearer T A',
  'GET /last_error': 'bearer T A',
  'GET /last_error_str': 'bearer T A',
};

function shortly(facts: RouteFacts): string {
  const { access, changes, terminal, ofAccount, killGated, addsRisk, idempotent } = facts;
  return [
    access,
    changes && 'C',
    terminal && 'T',
    ofAccount && 'A',
    killGated && 'K',
    addsRisk && 'R',
    idempotent && 'I',
  ]
    .filter(Boolean)
    .join(' ');
}

const folder = mkdtempSync(join(tmpdir(), 'route-facts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function declaredRoutes(): Promise<Record<string, string>> {
  const settings = readGatewaySettings({ ORDER_AUDIT_FILE: join(folder, 'audit.jsonl') });
  const module = await Test.createTestingModule({
    imports: [GatewayModule.with(settings, pino({ level: 'silent' }), systemEdge(), noSpans), DiscoveryModule],
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
