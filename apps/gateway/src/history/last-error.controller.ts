import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { single } from '@libs/envelope';
import { ReadEndpoint } from '../http/endpoint.decorators';
import { HistoryService } from './history.service';
import { LastErrorResponse, LastErrorTextResponse } from './last-error.response';

@ApiTags('history')
@Controller()
export class LastErrorController {
  constructor(private readonly history: HistoryService) {}

  @Get('last_error')
  @ReadEndpoint({ summary: "The terminal's last error", response: LastErrorResponse })
  async getLastError(): Promise<LastErrorResponse> {
    const { code, message } = await this.history.lastError();
    return single({ code, message, error_code: code, error_message: message });
  }

  @Get('last_error_str')
  @ReadEndpoint({ summary: "The terminal's last error as text", response: LastErrorTextResponse })
  async getLastErrorText(): Promise<LastErrorTextResponse> {
    const { message } = await this.history.lastError();
    return single({ message, error_message: message });
  }
}
