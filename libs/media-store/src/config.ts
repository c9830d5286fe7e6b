import { Env, ServiceConfig } from '@svc/service';
import { IsString, IsUrl, Matches, ValidateIf } from 'class-validator';

const onS3 = ({ mediaS3Endpoint }: MediaStoreConfig): boolean => mediaS3Endpoint !== undefined;

/** Variables of a service that reads or writes media; its config class extends it. */
export class MediaStoreConfig extends ServiceConfig {
  @Env('MEDIA_DIR', {
    description:
      'Folder of the media, seen by api-gateway, every session-worker and every assistant alike. With MEDIA_S3_ENDPOINT only for files on their way there.',
    example: '/var/lib/svc/media',
  })
  @IsString()
  mediaDir: string;

  @Env('MEDIA_S3_ENDPOINT', {
    description: 'S3 API that keeps the media instead of MEDIA_DIR; the bucket is named in the path.',
    example: 'https://s3.eu-central-1.amazonaws.com',
  })
  @ValidateIf(onS3)
  @IsUrl(
    { require_tld: false, require_protocol: true, protocols: ['http', 'https'] },
    { message: 'mediaS3Endpoint must be an http(s) URL' },
  )
  mediaS3Endpoint?: string;

  @Env('MEDIA_S3_BUCKET', { description: 'Bucket of the media.', example: 'svc-media' })
  @ValidateIf(onS3)
  @Matches(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, { message: 'mediaS3Bucket must be the name of a bucket' })
  mediaS3Bucket?: string;

  @Env('MEDIA_S3_REGION', { description: 'Region that requests are signed for.', example: 'eu-central-1' })
  @ValidateIf(onS3)
  @IsString()
  mediaS3Region: string = 'us-east-1';

  @Env('MEDIA_S3_ACCESS_KEY', { description: 'Name of the access key.', secret: true })
  @ValidateIf(onS3)
  @IsString()
  mediaS3AccessKey?: string;

  @Env('MEDIA_S3_SECRET_KEY', { description: 'The access key itself.', secret: true })
  @ValidateIf(onS3)
  @IsString()
  mediaS3SecretKey?: string;
}
