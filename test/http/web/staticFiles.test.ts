import { loadPages } from '../../../src/web/dashboardFiles'
import { expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp()
const paths = [...(await loadPages()).keys()]
const findFile = (end: string) => paths.find((path) => path.endsWith(end)) ?? ''

const send = (path: string, headers: Record<string, string>) =>
  testApp.app.handle(new Request(`http://localhost${path}`, { headers }), () => '127.0.0.1')

test.each([
  ['a script', '.js', 'gzip, br', 'br'],
  ['a script', '.js', 'gzip', 'gzip'],
  ['a script', '.js', '', null],
  ['a style', '.css', 'br;q=0, gzip', 'gzip'],
  // The format is compressed already.
  ['a font', '.woff2', 'gzip, br', null],
])(
  '%s (%s) is cacheable and encoded for a client that accepts “%s” as %p',
  async (_, end, accepted, encoding) => {
    const response = await send(findFile(end), { 'accept-encoding': accepted })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-encoding')).toBe(encoding)
    expect(response.headers.get('cache-control')).toContain('immutable')
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(100)
  },
)

test('the page is revalidated on each request and returns 304 when unchanged', async () => {
  const first = await send('/', {})
  expect(first.headers.get('cache-control')).toBe('no-cache')
  const again = await send('/', { 'if-none-match': first.headers.get('etag') ?? '' })
  expect([again.status, await again.text()]).toEqual([304, ''])
})
