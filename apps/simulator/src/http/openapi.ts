import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';

const DESCRIPTION = `A local messaging platform for tests. Clients connect to its WebSocket; this API plays the people:
link a number by scanning the client's QR text, write to it as a contact, look at what a contact received.
Any plausible number can be written to without being created first. Not protected: keep it on loopback.`;

/** Serves the description of the control API: `/docs` for people, `/openapi.json` for programs. */
export function addOpenApi(app: NestFastifyApplication): void {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Platform simulator')
    .setDescription(DESCRIPTION)
    .setVersion('1')
    .build();
  SwaggerModule.setup('docs', app, () => SwaggerModule.createDocument(app, config), {
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'openapi.yaml',
  });
}
