import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsString, Length, ValidateNested } from 'class-validator';
import { MayBeAbsent } from '../http/may-be-absent.js';
import { IsPhone } from '../http/phone.js';
import { type KindRules, media } from './parts/kind.js';

export class CardBody {
  @ApiProperty({ description: 'Name on the card.', example: 'Ada' })
  @IsString()
  @Length(1, 200)
  displayName: string;

  @ApiPropertyOptional({ description: 'Its number.', example: '4915550003000' })
  @MayBeAbsent()
  @IsPhone()
  phone?: string;
}

export class ContactBody {
  @ApiPropertyOptional({ description: 'Cards of a contact message.', type: [CardBody] })
  @MayBeAbsent()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @ValidateNested({ each: true })
  @Type(() => CardBody)
  contacts?: CardBody[];
}

/** Rules of contact cards: one card and several cards are two messages of the platform. */
export const contact: KindRules<ContactBody> = {
  body: ContactBody,
  required: ['contacts'],
  compose: ({ contacts = [] }, { contextInfo }) => {
    const [first, ...others] = contacts.map(cardMessage);
    if (others.length === 0) return { contactMessage: { ...first, contextInfo } };
    const displayName = `${contacts.length} contacts`;
    return { contactsArrayMessage: { displayName, contacts: [first ?? {}, ...others], contextInfo } };
  },
  forms: {
    contactMessage: { stanza: media('vcard'), describe: (card) => ({ contacts: [readCard(card)] }) },
    contactsArrayMessage: {
      stanza: media('contact_array'),
      describe: ({ contacts }) => ({ contacts: (contacts ?? []).map(readCard) }),
    },
  },
};

function cardMessage({ displayName, phone }: CardBody): proto.Message.IContactMessage {
  const number = phone ? [`TEL;type=CELL;waid=${phone}:+${phone}`] : [];
  const lines = ['BEGIN:VCARD', 'VERSION:3.0', `FN:${displayName}`, ...number, 'END:VCARD'];
  return { displayName, vcard: lines.join('\n') };
}

function readCard({ displayName, vcard }: proto.Message.IContactMessage): CardBody {
  const phone = /^TEL[^:]*:\s*(.+)$/im.exec(vcard ?? '')?.[1]?.replaceAll(/\D/g, '');
  return { displayName: displayName ?? '', ...(phone ? { phone } : {}) };
}
