import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const { ask } = createTestApp()

interface Manifest {
  name: string
  start_url: string
  scope: string
  display: string
  icons: { src: string; sizes: string; type: string }[]
}

/** Resolves a URL of a manifest, which is relative to the manifest. */
const resolve = (address: string) => new URL(address, 'http://localhost/app.webmanifest').pathname

describe.each(['/app.webmanifest', '/watch.webmanifest'])('%s', (path) => {
  const read = async () => {
    const response = await ask(`GET ${path}`, { headers: { 'accept-encoding': 'identity' } })
    return { ...response, manifest: JSON.parse(response.text) as Manifest }
  }

  test(`${path} is served with its type and revalidated by its ETag`, async () => {
    const { status, headers, manifest } = await read()
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/manifest+json')
    expect(headers.get('cache-control')).toBe('no-cache')
    expect(headers.get('access-control-allow-origin')).toBeNull()
    expect(manifest).toMatchObject({ name: expect.any(String), scope: './', display: 'standalone' })
    const again = await ask(`GET ${path}`, {
      headers: { 'if-none-match': headers.get('etag') ?? '' },
    })
    expect(again.status).toBe(304)
  })

  test(`${path} lists icons that exist and have the given type`, async () => {
    const { icons } = (await read()).manifest
    expect(icons.map(({ sizes }) => sizes).sort()).toEqual(['192x192', '512x512', '512x512', 'any'])
    for (const { src, type } of icons) {
      const icon = await ask(`GET ${resolve(src)}`)
      expect([icon.status, icon.headers.get('content-type')]).toEqual([200, type])
    }
  })
})

test('the dashboard page links to its manifest', async () => {
  const { text } = await ask('GET /', { headers: { 'accept-encoding': 'identity' } })
  expect(text).toContain('<link rel="manifest" href="app.webmanifest">')
})

test('the manifests start at the dashboard and at the watch page', async () => {
  const start = async (path: string) => {
    const { text } = await ask(`GET ${path}`, { headers: { 'accept-encoding': 'identity' } })
    return (JSON.parse(text) as Manifest).start_url
  }
  expect(await start('/app.webmanifest')).toBe('./')
  expect(await start('/watch.webmanifest')).toBe('./#/watch')
})
