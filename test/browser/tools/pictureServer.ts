import type { Page } from 'playwright-core'
import { until } from '../../tools/until'

/** Server on loopback that has no pictures and records what is requested. */
export interface PictureServer extends Disposable {
  readonly address: string
  /** Paths of the requests so far. */
  readonly requests: string[]
  /** Waits until the requests that the page has sent so far have arrived. */
  settle(page: Page): Promise<void>
}

const LAST = '/last.png'

export function startPictureServer(): PictureServer {
  const requests: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      requests.push(new URL(request.url).pathname)
      return new Response('', { status: 404 })
    },
  })
  const address = `http://127.0.0.1:${server.port}`
  return {
    address,
    requests,
    async settle(page) {
      await page.evaluate(`{ new Image().src = '${address}${LAST}' }`)
      await until(() => requests.includes(LAST))
      requests.splice(requests.indexOf(LAST), 1)
    },
    [Symbol.dispose]: () => void server.stop(true),
  }
}
