import { ApiProperty } from '@nestjs/swagger';

/** Body of `POST /v1/media`. */
export class UploadRequest {
  @ApiProperty({
    description: 'The file, up to 100 MiB, with its media type and name.',
    type: 'string',
    format: 'binary',
  })
  file: unknown;
}

/** Answer of `POST /v1/media`. */
export class UploadedMedia {
  @ApiProperty({ description: 'Id to send it by.', format: 'uuid' })
  mediaId: string;

  @ApiProperty({ description: 'Media type, as the upload said.', example: 'image/png' })
  mimeType: string;

  @ApiProperty({ description: 'Bytes.', example: 70_000 })
  size: number;

  @ApiProperty({
    description: 'Digest of the bytes that arrived, in hex.',
    example: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  })
  sha256: string;
}
