import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ErrorBody } from '../../http/refusals.js';
import { ScenarioView, StartScenario } from './scenario-bodies.js';
import { ScenariosService } from './scenarios.service.js';

const ID = {
  name: 'id',
  description: 'Id of the scenario.',
  example: '0198c2a4-7c1e-7b52-9f0e-3a5d1c2b4e6f',
};
const SCENARIO = { status: 200, type: ScenarioView, description: 'The scenario as it is now.' };

@ApiTags('scenarios')
@ApiResponse({ status: '4XX', type: ErrorBody, description: 'Refused; the message says why.' })
@Controller('scenarios')
export class ScenariosController {
  constructor(private readonly scenarios: ScenariosService) {}

  @Post()
  @ApiOperation({
    summary: 'Starts things that happen over a time, side by side',
    description: 'For instance a contact that writes every 50 ms, and a socket that drops every 2 s.',
  })
  @ApiResponse({ status: 201, type: ScenarioView, description: 'It has started.' })
  start(@Body() body: StartScenario): ScenarioView {
    return this.scenarios.start(body.steps);
  }

  @Get(':id')
  @ApiOperation({ summary: 'Shows how far a scenario is' })
  @ApiParam(ID)
  @ApiResponse(SCENARIO)
  get(@Param('id') id: string): ScenarioView {
    return this.scenarios.get(id);
  }

  @Delete(':id')
  @ApiOperation({ summary: 'Stops a scenario where it is' })
  @ApiParam(ID)
  @ApiResponse(SCENARIO)
  stop(@Param('id') id: string): ScenarioView {
    return this.scenarios.stop(id);
  }
}
