import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsString, Length, Matches, Max, Min } from 'class-validator';
import { MayBeAbsent } from '../../http/may-be-absent.js';
import { IsPhone } from '../../http/phone.js';

export class CreateAccount {
  @ApiProperty({ description: 'Digits with country code.', example: '4915550001000' })
  @IsPhone()
  phone: string;

  @ApiPropertyOptional({ description: 'Name that the phone gives its linked devices.', example: 'Shop' })
  @MayBeAbsent()
  @IsString()
  @Length(1, 100)
  name?: string;
}

export class DeviceView {
  @ApiProperty({ description: 'Number of the linked device; the phone is 0.', example: 1 })
  device: number;

  @ApiProperty({
    description: 'Name under which the phone lists it.',
    example: 'Mac OS',
    type: String,
    nullable: true,
  })
  name: string | null;

  @ApiProperty({ description: 'Address of the device.', example: '4915550001000:1@s.whatsapp.net' })
  jid: string;

  @ApiProperty({ description: 'Whether it is connected now.', example: true })
  online: boolean;

  @ApiProperty({
    description: 'Start of the latest connection.',
    example: '2026-01-05T09:30:00.000Z',
    type: String,
    nullable: true,
  })
  connectedAt: string | null;

  @ApiProperty({
    description: 'Revision that its client named at the last login of this run; null before that.',
    example: 1_043_857_760,
    type: Number,
    nullable: true,
  })
  revision: number | null;

  @ApiProperty({ description: 'Whether it has logged in to the end, and takes what comes.', example: true })
  active: boolean;

  @ApiProperty({ description: 'Whether it says that its owner is there.', example: true })
  available: boolean;

  @ApiProperty({
    description: 'Since when it says so.',
    example: '2026-01-05T09:31:00.000Z',
    type: String,
    nullable: true,
  })
  availableSince: string | null;

  @ApiProperty({ description: 'How many times it began to say so.', example: 1 })
  timesAvailable: number;

  @ApiProperty({ description: 'Stanzas it has not confirmed yet.', example: 0 })
  queued: number;
}

export class AccountView {
  @ApiProperty({ description: 'Digits with country code.', example: '4915550001000' })
  phone: string;

  @ApiProperty({ description: 'Name, if it has one.', example: 'Shop', type: String, nullable: true })
  name: string | null;

  @ApiProperty({ description: 'Address by number.', example: '4915550001000@s.whatsapp.net' })
  jid: string;

  @ApiProperty({
    description: "The platform's other address of the same person.",
    example: '100473554234852@lid',
  })
  lid: string;

  @ApiProperty({
    description: 'Whether the phone would notify its owner: it does not while a linked device is available.',
    example: true,
  })
  wouldNotify: boolean;

  @ApiProperty({ description: 'Linked devices, without the phone.', type: [DeviceView] })
  devices: DeviceView[];
}

export class AccountList {
  @ApiProperty({ description: 'All accounts.', type: [AccountView] })
  items: AccountView[];
}

export class ScanQr {
  @ApiProperty({
    description: 'Text of the QR code that the client shows.',
    example: 'https://wa.me/settings/linked_devices#2@ref,noiseKey,identityKey,advSecret,1',
  })
  @IsString()
  @Length(1, 2000)
  qr: string;
}

export class TypeCode {
  @ApiProperty({ description: 'Eight characters; case and dashes do not matter.', example: 'ABCD-2345' })
  @Matches(/^([a-z\d]-?){8}$/i, { message: 'code must be eight letters or digits' })
  code: string;
}

export class LinkedDevice {
  @ApiProperty({ description: 'Address of the new device.', example: '4915550001000:1@s.whatsapp.net' })
  jid: string;

  @ApiProperty({ description: 'Number of the new device.', example: 1 })
  device: number;
}

export const DISCONNECT_MODES = ['close', 'drop', 'stream-error', 'failure'] as const;

export class Disconnect {
  @ApiPropertyOptional({
    description:
      'close: orderly. drop: TCP cut without a word. stream-error, failure: the stanza with `code`, then close.',
    example: 'stream-error',
    enum: DISCONNECT_MODES,
    default: 'close',
  })
  @MayBeAbsent()
  @IsIn(DISCONNECT_MODES)
  mode?: (typeof DISCONNECT_MODES)[number];

  @ApiPropertyOptional({ description: 'Code of the stanza; 503 by default.', example: 503 })
  @MayBeAbsent()
  @IsInt()
  @Min(100)
  @Max(999)
  code?: number;
}

export class DisconnectCount {
  @ApiProperty({ description: 'How many devices were connected.', example: 1 })
  disconnected: number;
}

export class UnlinkCount {
  @ApiProperty({ description: 'How many devices were linked.', example: 1 })
  unlinked: number;
}
