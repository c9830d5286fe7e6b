import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ErrorBody } from '../../http/refusals.js';
import { HostileHostList, HostileHostView, StartHostileHost } from './hostile-host-bodies.js';
import { HostileHostsService } from './hostile-hosts.service.js';

const ID = {
  name: 'id',
  description: 'Id of the host.',
  example: '0198c2a4-7c1e-7b52-9f0e-3a5d1c2b4e6f',
};

@ApiTags('hostile hosts')
@ApiResponse({ status: '4XX', type: ErrorBody, description: 'Refused; the message says why.' })
@Controller('hostile-hosts')
export class HostileHostsController {
  constructor(private readonly hosts: HostileHostsService) {}

  @Post()
  @ApiOperation({
    summary: 'Starts a proxy or a file server that means harm to whoever connects to it',
    description: 'It ends by itself: after so many bytes, or so much time.',
  })
  @ApiResponse({ status: 201, type: HostileHostView, description: 'It listens.' })
  start(@Body() body: StartHostileHost): Promise<HostileHostView> {
    return this.hosts.start(body);
  }

  @Get()
  @ApiOperation({ summary: 'Lists the hostile hosts' })
  @ApiResponse({ status: 200, type: HostileHostList, description: 'All of them.' })
  list(): HostileHostList {
    return { items: this.hosts.list() };
  }

  @Get(':id')
  @ApiOperation({ summary: 'Shows who is connected to a hostile host, and what it has sent' })
  @ApiParam(ID)
  @ApiResponse({ status: 200, type: HostileHostView, description: 'The host as it is now.' })
  get(@Param('id') id: string): HostileHostView {
    return this.hosts.get(id);
  }

  @Delete(':id')
  @ApiOperation({ summary: 'Stops a hostile host, and shows it for the last time' })
  @ApiParam(ID)
  @ApiResponse({ status: 200, type: HostileHostView, description: 'It has ended.' })
  stop(@Param('id') id: string): HostileHostView {
    return this.hosts.stop(id);
  }
}
