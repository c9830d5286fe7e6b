import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, Max, Min } from 'class-validator';
import { type BehaviourName, BEHAVIOURS, HOST_KINDS, type HostKind } from '../../hostile-hosts/behaviours.js';
import { HOST_STATES } from '../../hostile-hosts/hostile-host.js';
import { MayBeAbsent } from '../../http/may-be-absent.js';

const MOST_BYTES = 1_000_000_000;
const MOST_SECONDS = 3_600;
/** Bounds at which a host ends where the request does not say when. */
export const USUAL_BYTES = 200_000_000;
export const USUAL_SECONDS = 600;

const KIND =
  'What it pretends to be. http-proxy: takes CONNECT. socks-proxy: SOCKS 5 without a password. http-host, https-host: keeps files; the certificate is of the authority of `/media/ca.pem`.';

const BEHAVIOUR = `What it does to whoever has sent it a first byte. silence: nothing. drip: begins an answer, a byte a second.
endless-head: begins an answer whose head never ends, 10 MB a second. silence-after-head and drip-after-head: lets through (a proxy) or begins a file, and then
nothing, or a byte a second. endless-body: the same, and then 10 MB a second. cut: hangs up in the middle of an answer. Of a host alone: gzip: a file
that becomes a thousand times as large. wrong-type: a page in place of a file. redirect-loop: sends on to itself.`;

/** Says what a hostile host shall be. */
export class StartHostileHost {
  @ApiProperty({ description: KIND, enum: HOST_KINDS, example: 'http-proxy' })
  @IsIn(HOST_KINDS)
  kind: HostKind;

  @ApiProperty({ description: BEHAVIOUR, enum: BEHAVIOURS, example: 'endless-head' })
  @IsIn(BEHAVIOURS)
  behaviour: BehaviourName;

  @ApiPropertyOptional({
    description: 'It ends when it has sent so many bytes.',
    example: 20_000_000,
    default: USUAL_BYTES,
  })
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  @Max(MOST_BYTES)
  mostBytes?: number;

  @ApiPropertyOptional({ description: 'It ends after this time.', example: 60, default: USUAL_SECONDS })
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  @Max(MOST_SECONDS)
  mostSeconds?: number;
}

export class HostileHostView {
  @ApiProperty({ description: 'Names it.', example: '0198c2a4-7c1e-7b52-9f0e-3a5d1c2b4e6f' })
  id: string;

  @ApiProperty({ description: KIND, enum: HOST_KINDS, example: 'http-proxy' })
  kind: HostKind;

  @ApiProperty({ description: BEHAVIOUR, enum: BEHAVIOURS, example: 'endless-head' })
  behaviour: BehaviourName;

  @ApiProperty({ description: 'Where it is; of a host any path will do.', example: 'http://127.0.0.1:41234' })
  url: string;

  @ApiProperty({
    description: 'ENDED: by its limits. Nobody is connected, and nobody can connect.',
    enum: HOST_STATES,
    example: 'RUNNING',
  })
  state: (typeof HOST_STATES)[number];

  @ApiProperty({ description: 'Connections so far.', example: 3 })
  opened: number;

  @ApiProperty({ description: 'Connections that are open now.', example: 1 })
  open: number;

  @ApiProperty({ description: 'Most connections that were open at the same time.', example: 2 })
  mostOpen: number;

  @ApiProperty({ description: 'Bytes that it has sent, or handed to its connections.', example: 1_500_000 })
  bytesSent: number;
}

export class HostileHostList {
  @ApiProperty({ description: 'All that were not stopped.', type: [HostileHostView] })
  items: HostileHostView[];
}
