import { Controller, Get } from '@nestjs/common';
import { Daemon } from '../daemon';
import { listOf } from './snapshots';

@Controller('list')
export class ListController {
  constructor(private readonly daemon: Daemon) {}

  @Get()
  list(): object[] {
    return listOf(this.daemon);
  }
}
