# The whole gateway in one container, for a first try and for one small machine: all services, the simulator, PostgreSQL and NATS, below the
# launcher of `npm start`. All that it keeps lies in one volume.
#   docker build -f docker/single.Dockerfile -t svc/gateway .
#   docker run -p 127.0.0.1:3000:3000 -v svc:/var/lib/svc svc/gateway
# The operator's commands: docker exec <container> operator --help
ARG NODE_IMAGE=node:24.21.0-bookworm-slim
ARG NATS_IMAGE=nats:2.14.2

FROM ${NATS_IMAGE} AS nats

FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY . .
RUN npm ci --ignore-scripts && node apps/launcher/build.mjs
RUN node tools/runtime/copy-all.mjs /image/app && mkdir -p /image/state

FROM ${NODE_IMAGE}
# Nobody installs packages in an image that runs.
RUN rm -rf /usr/local/lib/node_modules /opt/yarn* && cd /usr/local/bin && rm -f npm npx corepack yarn yarnpkg
# PostgreSQL wants to know the name of who runs it.
RUN echo 'svc:x:10001:10001::/var/lib/svc:/usr/sbin/nologin' >> /etc/passwd && echo 'svc:x:10001:' >> /etc/group
COPY --chmod=755 docker/operator /usr/local/bin/operator
COPY --from=nats /nats-server /usr/local/bin/nats-server
COPY --from=build /image/app /app
COPY --from=build --chown=10001:10001 /image/state /var/lib/svc
WORKDIR /app
USER 10001:10001
# Secrets are invented at the first start and lie in the volume. Test keys have the simulator, live ones the platform. A bot on the machine around is
# reached where it is named: --env WEBHOOK_ALLOWED_ORIGINS=http://host.docker.internal:8089 --add-host host.docker.internal:host-gateway
ENV SVC_MODE=production GATEWAY_HOST=0.0.0.0 DATA_DIR=/var/lib/svc
EXPOSE 3000
VOLUME /var/lib/svc
ENTRYPOINT ["node", "apps/launcher/dist/main.js"]
# Whoever builds it says the version, and where the source lies: labels of the OCI image specification, last, so that nothing is built anew for them.
ARG VERSION
ARG SOURCE=""
LABEL org.opencontainers.image.title="Messaging Gateway" \
  org.opencontainers.image.description="All programs of the Messaging Gateway, PostgreSQL and NATS in one container" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.source="${SOURCE}"
