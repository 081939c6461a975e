# skillfence in a container: one file on glibc, as an ordinary user. It writes
# to /tmp alone, so the root file system can be read-only. See docs/http.md.

FROM denoland/deno:2.9.6 AS build
WORKDIR /src
COPY . .
RUN ["deno", "task", "compile"]

FROM gcr.io/distroless/cc-debian13:nonroot
COPY --from=build --chown=0:0 --chmod=0755 /src/dist/skillfence /usr/local/bin/skillfence
USER 65532:65532
WORKDIR /tmp
EXPOSE 8787
ENTRYPOINT ["/usr/local/bin/skillfence"]
CMD ["--help"]
