import { Module } from '@nestjs/common';
import { DaemonStrategies } from './daemon-strategies';
import { StrategiesController } from './strategies.controller';

/** What the console shows besides the account. */
@Module({ controllers: [StrategiesController], providers: [DaemonStrategies] })
export class ConsoleModule {}
