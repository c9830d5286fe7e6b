import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsInt, IsObject, IsString, Length, Matches, Max, Min } from 'class-validator';
import { MayBeAbsent } from '../../http/may-be-absent.js';
import { type LinkingRules, PASSKEY_FAILURES, PASSKEY_RULES } from '../../pairing/linking-rules.js';
import type { Assertion } from '../../pairing/passkey/authenticator.js';
import { PASSKEY_STAGES, type PasskeyStage } from '../../pairing/passkey-ceremony.js';

const PASSKEY =
  'Whether a device is asked for the passkey of the account: never, always, or until one was linked with it; scan and typed code answer 409 then.';
const ACCEPT_PROOF = 'Whether the phone takes the proof of a device, and asks its owner for no comparison.';
const FAIL_AT = 'Step at which the ceremony fails; null: none.';
const FAIL_CODE = 'Error number of what is refused within a ceremony.';
const OPTIONS_MISSING = 'Whether the device has to ask for the challenge.';
const CHALLENGE_MS = 'How long a challenge holds, in ms.';
const KEEPS_CONNECTION = 'Whether a connection lives on during a ceremony, however long that takes.';

/** Request for the rules of passkeys; what is not given stays. */
export class PasskeyRulesChange {
  @ApiPropertyOptional({ description: PASSKEY, enum: PASSKEY_RULES, example: 'always' })
  @MayBeAbsent()
  @IsIn(PASSKEY_RULES)
  passkey?: LinkingRules['passkey'];

  @ApiPropertyOptional({ description: ACCEPT_PROOF, example: true })
  @MayBeAbsent()
  @IsBoolean()
  acceptProof?: boolean;

  @ApiPropertyOptional({
    description: FAIL_AT,
    type: String,
    enum: PASSKEY_FAILURES,
    nullable: true,
    example: 'nonce',
  })
  @MayBeAbsent()
  @IsIn([...PASSKEY_FAILURES, null])
  failAt?: LinkingRules['failAt'];

  @ApiPropertyOptional({ description: FAIL_CODE, example: 400 })
  @MayBeAbsent()
  @IsInt()
  @Min(100)
  @Max(999)
  failCode?: number;

  @ApiPropertyOptional({ description: OPTIONS_MISSING, example: true })
  @MayBeAbsent()
  @IsBoolean()
  optionsMissing?: boolean;

  @ApiPropertyOptional({ description: CHALLENGE_MS, example: 600_000 })
  @MayBeAbsent()
  @IsInt()
  @Min(100)
  @Max(3_600_000)
  challengeMs?: number;

  @ApiPropertyOptional({ description: KEEPS_CONNECTION, example: true })
  @MayBeAbsent()
  @IsBoolean()
  keepsConnection?: boolean;
}

/** The rules of passkeys as they are. */
export class PasskeyRulesView {
  @ApiProperty({ description: PASSKEY, enum: PASSKEY_RULES, example: 'off' })
  passkey: LinkingRules['passkey'];

  @ApiProperty({ description: ACCEPT_PROOF, example: false })
  acceptProof: boolean;

  @ApiProperty({
    description: FAIL_AT,
    type: String,
    enum: PASSKEY_FAILURES,
    nullable: true,
    example: null,
  })
  failAt: LinkingRules['failAt'];

  @ApiProperty({ description: FAIL_CODE, example: 400 })
  failCode: number;

  @ApiProperty({ description: OPTIONS_MISSING, example: false })
  optionsMissing: boolean;

  @ApiProperty({ description: CHALLENGE_MS, example: 600_000 })
  challengeMs: number;

  @ApiProperty({ description: KEEPS_CONNECTION, example: true })
  keepsConnection: boolean;
}

/** Ceremony with a passkey, as platform and phone see it. */
export class PasskeyView {
  @ApiProperty({ description: 'How far it has come.', enum: PASSKEY_STAGES, example: 'compared' })
  stage: PasskeyStage;

  @ApiProperty({
    description: 'Why it failed, or does not go on: what the device did wrong, or what was wanted.',
    type: String,
    nullable: true,
    example: 'COMMITMENT_NOT_OPENED',
  })
  problem: string | null;

  @ApiProperty({
    description: 'Code on the screen of the phone.',
    type: String,
    nullable: true,
    example: 'ABCD-2345',
  })
  code: string | null;

  @ApiProperty({ description: 'Whether the phone has taken the proof of the device.', example: false })
  proofTaken: boolean;
}

/** Request for an assertion: the options of the challenge, and circumstances that are as they should be where they are not given. */
export class AnswerChallenge {
  @ApiProperty({
    description: 'What the browser is given as `publicKey`.',
    type: Object,
    example: { challenge: 'Y2hhbGxlbmdl', rpId: 'whatsapp.com' },
  })
  @IsObject()
  options: { challenge?: unknown };

  @ApiPropertyOptional({ description: 'Page that asks.', example: 'https://web.whatsapp.com' })
  @MayBeAbsent()
  @IsString()
  @Length(1, 200)
  origin?: string;

  @ApiPropertyOptional({ description: 'Name that the passkey is asked for.', example: 'whatsapp.com' })
  @MayBeAbsent()
  @IsString()
  @Length(1, 200)
  rpId?: string;

  @ApiPropertyOptional({ description: 'Whether the person is verified.', example: true })
  @MayBeAbsent()
  @IsBoolean()
  isVerified?: boolean;
}

/** Answer of the browser, in the JSON form of WebAuthn. */
export class AssertionView implements Assertion {
  @ApiProperty({ description: 'Id of the passkey.', example: 'cGFzc2tleQ' })
  id: string;

  @ApiProperty({ description: 'The same id.', example: 'cGFzc2tleQ' })
  rawId: string;

  @ApiProperty({ description: 'Kind of credential.', example: 'public-key' })
  type: string;

  @ApiProperty({
    description: 'Where the passkey is.',
    type: String,
    nullable: true,
    example: 'platform',
  })
  authenticatorAttachment: string | null;

  @ApiProperty({ description: 'What was signed, and the signature.', type: Object, example: {} })
  response: Assertion['response'];

  @ApiProperty({ description: 'Results of extensions.', type: Object, example: {} })
  clientExtensionResults: object;
}

/** The passkey of an account, for a browser that shall have it; each part in base64. */
export class PasskeyKeyView {
  @ApiProperty({ description: 'Id of the passkey.', example: 'cGFzc2tleQ==' })
  credentialId: string;

  @ApiProperty({ description: 'The account, as the passkey names it.', example: 'dXNlcg==' })
  userHandle: string;

  @ApiProperty({ description: 'Private key of P-256, PKCS #8.', example: 'a2V5' })
  privateKey: string;
}

/** Request of the owner of the phone, who has compared the codes. */
export class ConfirmPasskey {
  @ApiProperty({ description: 'Code that the device shows.', example: 'ABCD-2345' })
  @IsString()
  @Matches(/^[1-9A-Z]{4}-[1-9A-Z]{4}$/)
  code: string;
}
