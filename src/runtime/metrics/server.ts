/** Address of the metrics listener, and the text that it serves. */
export interface MetricsParts {
  readonly host: string
  readonly port: number
  /** Returns all metrics in the text format of Prometheus. */
  render(): Promise<string>
}

const TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Serves metrics on a separate listener, so that a proxy in front of the API cannot expose them. */
export function serveMetrics({ host, port, render }: MetricsParts): Bun.Server<undefined> {
  return Bun.serve({
    hostname: host.replace(/^\[|\]$/g, ''),
    port,
    development: false,
    reusePort: false,
    async fetch(request) {
      if (new URL(request.url).pathname !== '/metrics') return new Response(null, { status: 404 })
      if (request.method !== 'GET' && request.method !== 'HEAD')
        return new Response(null, { status: 405, headers: { allow: 'GET, HEAD' } })
      try {
        return new Response(await render(), { headers: { 'content-type': TYPE } })
      } catch {
        // /health and the log report the cause.
        return new Response(null, { status: 503 })
      }
    },
  })
}
