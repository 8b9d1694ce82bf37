/** What the listener of the metrics answers with. */
export interface MetricsParts {
  readonly host: string
  readonly port: number
  /** Everything, as Prometheus reads it. */
  render(): Promise<string>
}

const TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** A listener of its own, so that a proxy in front of the API cannot lead there by mistake. */
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
        // What is wrong is told by /health and the log: here it would only be a gap in the numbers.
        return new Response(null, { status: 503 })
      }
    },
  })
}
