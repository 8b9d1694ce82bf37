# docker build -t multitude .
FROM node:22-bookworm-slim AS build
WORKDIR /source
COPY . .
RUN npm run build
RUN .ci/release/rootfs.sh dist/multitude /root-folder

FROM scratch
COPY --from=build /root-folder /
# Not every builder keeps ownership; a new volume inherits it from here.
COPY --from=build --chown=10001:10001 /root-folder/var/lib/multitude /var/lib/multitude
USER 10001:10001
WORKDIR /var/lib/multitude
VOLUME /var/lib/multitude
ENV MULTITUDE_HOST=0.0.0.0 MULTITUDE_DATABASE_URL=file:/var/lib/multitude/multitude.db
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s CMD ["/usr/bin/multitude", "health"]
ENTRYPOINT ["/usr/bin/multitude"]
CMD ["serve"]
