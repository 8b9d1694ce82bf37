import { describe, expect, test } from 'bun:test'
import { createTestApp } from '../../testApp'

const { ask } = createTestApp()

interface Manifest {
  name: string
  start_url: string
  scope: string
  display: string
  icons: { src: string; sizes: string; type: string }[]
}

/** Addresses of a manifest are relative to where it lies. */
const resolve = (address: string) => new URL(address, 'http://localhost/app.webmanifest').pathname

describe.each(['/app.webmanifest', '/watch.webmanifest'])('%s', (path) => {
  const read = async () => {
    const answer = await ask(`GET ${path}`, { headers: { 'accept-encoding': 'identity' } })
    return { ...answer, manifest: JSON.parse(answer.text) as Manifest }
  }

  test('is served as what it is, to everyone, and asked for anew when it has changed', async () => {
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

  test('names icons that are there, of the type it says', async () => {
    const { icons } = (await read()).manifest
    expect(icons.map(({ sizes }) => sizes).sort()).toEqual(['192x192', 'any'])
    for (const { src, type } of icons) {
      const icon = await ask(`GET ${resolve(src)}`)
      expect([icon.status, icon.headers.get('content-type')]).toEqual([200, type])
    }
  })
})

test('the page names its manifest', async () => {
  const { text } = await ask('GET /', { headers: { 'accept-encoding': 'identity' } })
  expect(text).toContain('<link rel="manifest" href="app.webmanifest">')
})

test('the dashboard starts at its first place, a friend’s page at a friend’s', async () => {
  const start = async (path: string) => {
    const { text } = await ask(`GET ${path}`, { headers: { 'accept-encoding': 'identity' } })
    return (JSON.parse(text) as Manifest).start_url
  }
  expect(await start('/app.webmanifest')).toBe('./')
  expect(await start('/watch.webmanifest')).toBe('./#/watch')
})
