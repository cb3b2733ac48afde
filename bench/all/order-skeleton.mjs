// The yardstick of an order's processor time, in a process of its own: a Nest skeleton on Fastify that checks the key and the body of
// POST /order as the gateway does, and answers with the same bytes. It writes nothing and has no broker.
import 'reflect-metadata';
import { createRequire } from 'node:module';
import { Controller, HttpCode, Module, Post } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { answerUsage } from './main-thread.mjs';

const built = (file) => createRequire(import.meta.url)(`../../dist/${file}`);
const { keyRoles } = built('apps/gateway/src/http/api-key.js');
const { ValidBody } = built('apps/gateway/src/http/valid-body.decorator.js');
const { OrderRequest } = built('apps/gateway/src/orders/order.request.js');
const key = 'bench-key';
const roleOf = keyRoles({ API_KEY: key });
const answer = JSON.parse(process.argv[2]);

class BearerGuard {
  canActivate(context) {
    return roleOf(context.switchToHttp().getRequest().headers.authorization) !== null;
  }
}

class OrderController {
  async place() {
    return answer;
  }
}
const { prototype } = OrderController;
Controller()(OrderController);
const place = Object.getOwnPropertyDescriptor(prototype, 'place');
Post('order')(prototype, 'place', place);
HttpCode(200)(prototype, 'place', place);
Reflect.defineMetadata('design:paramtypes', [OrderRequest], prototype, 'place');
ValidBody()(prototype, 'place', 0);

class SkeletonModule {}
const guards = [{ provide: APP_GUARD, useClass: BearerGuard }];
Module({ controllers: [OrderController], providers: guards })(SkeletonModule);

const app = await NestFactory.create(SkeletonModule, new FastifyAdapter(), { logger: false });
await app.listen(0, '127.0.0.1');
answerUsage(() => 0);
process.send({ url: await app.getUrl(), key });
