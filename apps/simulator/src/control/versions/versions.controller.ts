import { Body, Controller, Delete, Get, Put } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ErrorBody } from '../../http/refusals.js';
import { withoutUndefined } from '../../http/without-undefined.js';
import { Platform } from '../../platform.js';
import { VersionsChange, VersionsView } from './version-bodies.js';

const VERSIONS = { status: 200, type: VersionsView, description: 'The versions as they are now.' };

@ApiTags('versions')
@ApiResponse({ status: '4XX', type: ErrorBody, description: 'Refused; the message says why.' })
@Controller('versions')
export class VersionsController {
  constructor(private readonly platform: Platform) {}

  @Get()
  @ApiOperation({ summary: 'Shows which versions of clients the platform names and takes' })
  @ApiResponse(VERSIONS)
  get(): VersionsView {
    const { rules, reads } = this.platform.versions;
    return { ...rules, reads: { ...reads } };
  }

  @Put()
  @ApiOperation({
    summary: 'Changes which versions of clients the platform names and takes; what is not given stays',
    description:
      'Connections that exist stay. For one account: `loginFloor` of its faults, also in a scenario.',
  })
  @ApiResponse(VERSIONS)
  change(@Body() change: VersionsChange): VersionsView {
    Object.assign(this.platform.versions.rules, withoutUndefined(change));
    return this.get();
  }

  @Delete()
  @ApiOperation({ summary: 'Takes any version again, and names that of this release' })
  @ApiResponse(VERSIONS)
  clear(): VersionsView {
    this.platform.versions.clear();
    return this.get();
  }
}
