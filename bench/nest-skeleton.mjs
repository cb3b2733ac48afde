// A Nest skeleton on Fastify, in a process of its own: three guards, of which the first checks the key as the gateway does, and a
// controller that answers /0, /1, ... with the given texts.
import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Controller, Get, Module, Param, Res } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';

const { keyRoles } = createRequire(import.meta.url)('../dist/apps/gateway/src/http/api-key.js');
const [, , answersFile, key] = process.argv;
const answers = JSON.parse(readFileSync(answersFile, 'utf8'));
const roleOf = keyRoles({ API_KEY: key });

class BearerGuard {
  canActivate(context) {
    return roleOf(context.switchToHttp().getRequest().headers.authorization) !== null;
  }
}

class PassingGuard {
  canActivate(context) {
    return context.getHandler() !== null;
  }
}

class AnswersController {
  async answer(index, reply) {
    const { contentType, body } = answers[index];
    void reply.header('content-type', contentType).send(body);
  }
}
const { prototype } = AnswersController;
Controller()(AnswersController);
Get(':index')(prototype, 'answer', Object.getOwnPropertyDescriptor(prototype, 'answer'));
Param('index')(prototype, 'answer', 0);
Res()(prototype, 'answer', 1);

class SkeletonModule {}
const guards = [BearerGuard, PassingGuard, PassingGuard].map((useClass) => ({ provide: APP_GUARD, useClass }));
Module({ controllers: [AnswersController], providers: guards })(SkeletonModule);

const app = await NestFactory.create(SkeletonModule, new FastifyAdapter(), { logger: false });
await app.listen(0, '127.0.0.1');
process.send?.({ port: app.getHttpServer().address().port });
process.on('disconnect', () => process.exit(0));
