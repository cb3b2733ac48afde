import { Controller, Get, Module, Param, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { getToken } from '@willsoto/nestjs-prometheus';
import { Gauge, register, type Counter } from 'prom-client';
import { recordHttp } from './http-metrics';
import { MetricsModule, MetricsRegistry } from './metrics.module';
import { counter, gauge } from './own-metrics';

@Controller('metrics')
class Page {
  constructor(private readonly registry: MetricsRegistry) {}

  @Get()
  async metrics(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    void reply.header('content-type', this.registry.contentType);
    return this.registry.metrics();
  }
}

@Controller()
class Items {
  @Get('items/:id')
  item(@Param('id') id: string): object {
    return { id };
  }
}

@Module({ imports: [MetricsModule.register({ controller: Page })], controllers: [Items] })
class Shop {}

async function start(): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(Shop, new FastifyAdapter(), { logger: false });
  recordHttp(app.getHttpAdapter().getInstance(), app.get(MetricsRegistry));
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  return app;
}

describe('the metrics page', () => {
  let app: NestFastifyApplication;
  beforeAll(async () => (app = await start()));
  afterAll(() => app.close());

  it('times requests by the template of their route, never by their path', async () => {
    await app.inject('/items/1');
    await app.inject('/items/2');
    await app.inject('/nowhere');
    const page = await app.inject('/metrics');
    expect(page.headers['content-type']).toContain('version=0.0.4');
    expect(page.body).toContain('http_request_duration_seconds_count{method="GET",route="/items/:id",status="200"} 2');
    expect(page.body).toContain('http_request_duration_seconds_count{method="GET",route="unknown",status="404"} 1');
    expect(page.body).not.toContain('/items/1');
  });

  it('has the process defaults, except those whose names contradict their type', async () => {
    const page = await app.inject('/metrics');
    expect(page.body).toContain('process_resident_memory_bytes');
    expect(page.body).not.toMatch(/nodejs_active_\w+_total/);
  });

  it('is rendered once for all callers in a turn of the loop, and again in the next', async () => {
    const registry = new MetricsRegistry();
    let renderings = 0;
    new Gauge({
      name: 'renderings',
      help: 'Times the page was rendered.',
      registers: [registry],
      collect() {
        this.set(++renderings);
      },
    });
    const crowd = await Promise.all(Array.from({ length: 50 }, () => registry.metrics()));
    expect([renderings, new Set(crowd).size]).toEqual([1, 1]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await registry.metrics()).toContain('renderings 2');
  });

  it('has metrics of the package that read what is injected, apart for each application in a process', async () => {
    const pages = [1, 2].map(async (value) => {
      const metrics = [
        gauge({
          name: 'stock',
          help: 'Items.',
          inject: ['VALUE'],
          collect(of: number) {
            this.set(of);
          },
        }),
        counter({ name: 'sales_total', help: 'Sold items.' }),
      ];
      const providers = [{ provide: 'VALUE', useValue: value }, ...metrics];
      const imports = [MetricsModule.register({ controller: Page })];
      @Module({ imports, providers })
      class Branch {}
      const branch = await NestFactory.createApplicationContext(Branch, { logger: false });
      const sales = branch.get<Counter>(getToken('sales_total'));
      sales.inc(10 * value);
      const page = await branch.get(MetricsRegistry).metrics();
      await branch.close();
      return page;
    });
    const [one, two] = await Promise.all(pages);
    expect(one).toMatch(/^stock 1$[^]*^sales_total 10$/m);
    expect(two).toMatch(/^stock 2$[^]*^sales_total 20$/m);
    expect(await register.metrics()).not.toContain('stock');
  });
});
