import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBase64, IsIn, IsInt, Max, Min } from 'class-validator';
import { MEDIA_FAULTS } from '../../content/message-writer.js';
import { MayBeAbsent } from '../../http/may-be-absent.js';

const LARGEST_FILE_BYTES = 10 * 1024 * 1024;

/** File that a contact sends. */
export class FileBody {
  @ApiPropertyOptional({ description: 'The file. Either this or `size`.', example: 'R0lGODlhAQABAAAAACw=' })
  @MayBeAbsent()
  @IsBase64()
  base64?: string;

  @ApiPropertyOptional({
    description: 'Makes a file of so many bytes, the same every time.',
    example: 100000,
  })
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  @Max(LARGEST_FILE_BYTES)
  size?: number;

  @ApiPropertyOptional({
    description: 'missing: the media host does not have it. altered: it has another file under the name.',
    enum: MEDIA_FAULTS,
    example: 'missing',
  })
  @MayBeAbsent()
  @IsIn(MEDIA_FAULTS)
  fault?: (typeof MEDIA_FAULTS)[number];
}

export class FileView {
  @ApiProperty({ description: 'Size of the decrypted file; 0 if it cannot be opened.', example: 100000 })
  bytes: number;

  @ApiProperty({
    description: 'SHA-256 of the decrypted file, in hex; empty if it cannot be opened.',
    example: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  })
  sha256: string;

  @ApiProperty({
    description: 'Why the phone cannot open the file; null: it can.',
    example: 'the media host does not have it',
    type: String,
    nullable: true,
  })
  problem: string | null;
}
