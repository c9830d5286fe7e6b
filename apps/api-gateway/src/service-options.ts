import type { StartOptions } from '@svc/service';
import { AppModule } from './app.module.js';
import { readConfig } from './config.js';
import { guardTheEdge } from './edge/edge.js';
import { serveLinkPage } from './link-page/link-page.js';
import { McpService } from './mcp/mcp.service.js';
import { serveDocsPage } from './openapi/pages/docs-page.js';
import { serveOpenApi } from './openapi/pages/openapi-page.js';
import { paceTenants } from './subscriptions/tenant-paces.js';

/** Start options of the service, in production and in tests. */
export const serviceOptions: StartOptions = {
  name: 'api-gateway',
  module: AppModule,
  config: readConfig,
  jetstream: true,
  http: () => {
    const { port, preStopMs, trustedProxies, publicUrl } = readConfig();
    return {
      ...{ port, preStopMs, trustedProxies },
      bodyLimit: 1_048_576,
      // An upload of 100 MB over a line of 10 Mbit/s takes 80 s. Who has no key is turned away before the body.
      requestLimitMs: 120_000,
      customize: async (app) => {
        await guardTheEdge(app);
        paceTenants(app);
        app.get(McpService).describe(serveOpenApi(app, publicUrl));
        serveDocsPage(app);
        serveLinkPage(app);
      },
    };
  },
};
