# A hub of a team. Built from this repository: docker build --tag panoptes .
FROM node:24.20.0-bookworm-slim@sha256:ba849c60be29959425b8734d57b8b4b7d56f98edd9504c9af091d5281095a71e AS build
WORKDIR /src
COPY . .
RUN npm ci && npm run build

FROM node:24.20.0-bookworm-slim@sha256:ba849c60be29959425b8734d57b8b4b7d56f98edd9504c9af091d5281095a71e
ENV NODE_ENV=production PANOPTES_HOME=/data
COPY --from=build /src/packages/cli/bin /opt/panoptes/bin
COPY --from=build /src/packages/cli/dist /opt/panoptes/dist
COPY --from=build /src/packages/cli/package.json /src/packages/cli/LICENSE /opt/panoptes/
RUN ln -s /opt/panoptes/bin/panoptes.js /usr/local/bin/panoptes \
  && mkdir --mode=0700 /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8201
# Only where the database answers, and the hub is not stopping.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8201/ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["panoptes"]
CMD ["up", "--no-open", "--host", "0.0.0.0"]
