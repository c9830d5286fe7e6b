import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsInt,
  IsObject,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { MayBeAbsent } from '../../http/may-be-absent.js';
import { IsPhone } from '../../http/phone.js';
import { STEP_ACTIONS, type StepAction } from './step-actions.js';

const LONGEST_MS = 24 * 3_600_000;
const MOST_TIMES = 1_000_000;

const ACTION = `What is done, as the request of that name does it: write (POST /contacts/{phone}/messages),
typing (POST /contacts/{phone}/typing), call (POST /contacts/{phone}/calls), linking (PUT /accounts/{phone}/linking), disconnect (POST /accounts/{phone}/disconnect), faults and
clear-faults (PUT and DELETE /accounts/{phone}/faults), rubbish (POST /accounts/{phone}/frames), stanza (POST /accounts/{phone}/stanzas).`;

export class ScenarioStep {
  @ApiProperty({ description: ACTION, enum: STEP_ACTIONS, example: 'write' })
  @IsIn(STEP_ACTIONS)
  action: StepAction;

  @ApiProperty({
    description: 'Phone of the contact that writes, or of the account.',
    example: '4915550002000',
  })
  @IsPhone()
  phone: string;

  @ApiPropertyOptional({
    description: 'Body of that request. In its text, `{n}` becomes the number of the repetition, from 1.',
    example: { to: '4915550001000', text: 'question {n}' },
    type: Object,
  })
  @MayBeAbsent()
  @IsObject()
  body?: Record<string, unknown>;

  @ApiPropertyOptional({ description: 'How often it is done.', example: 100, default: 1 })
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  @Max(MOST_TIMES)
  times?: number;

  @ApiPropertyOptional({ description: 'Time from one repetition to the next.', example: 50, default: 0 })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(LONGEST_MS)
  everyMs?: number;

  @ApiPropertyOptional({ description: 'Time until the first one.', example: 2000, default: 0 })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(LONGEST_MS)
  afterMs?: number;
}

export class StartScenario {
  @ApiProperty({ description: 'They all run at the same time.', type: [ScenarioStep] })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(1_000)
  @ValidateNested({ each: true })
  @Type(() => ScenarioStep)
  steps: ScenarioStep[];
}

export const SCENARIO_STATES = ['RUNNING', 'DONE', 'STOPPED'] as const;
export type ScenarioState = (typeof SCENARIO_STATES)[number];

export class StepView {
  @ApiProperty({ description: 'How often it was done without an error.', example: 100 })
  done: number;

  @ApiProperty({ description: 'How often it was refused.', example: 0 })
  failed: number;

  @ApiProperty({
    description: 'Why it was refused last.',
    example: 'there is no account with the phone 4915550001000',
    type: String,
    nullable: true,
  })
  lastError: string | null;
}

export class ScenarioView {
  @ApiProperty({ description: 'Names the scenario.', example: '0198c2a4-7c1e-7b52-9f0e-3a5d1c2b4e6f' })
  id: string;

  @ApiProperty({ description: 'DONE once all steps are over.', enum: SCENARIO_STATES, example: 'RUNNING' })
  state: ScenarioState;

  @ApiProperty({ description: 'In the order of the request.', type: [StepView] })
  steps: StepView[];
}
