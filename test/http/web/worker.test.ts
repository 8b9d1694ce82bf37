import { expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const { ask } = createTestApp()

const plain = { headers: { 'accept-encoding': 'identity' } }

test('/sw.js is served beside the page and revalidated by its ETag', async () => {
  const { status, headers, text } = await ask('GET /sw.js', plain)
  expect(status).toBe(200)
  expect(headers.get('content-type')).toStartWith('text/javascript')
  expect(headers.get('cache-control')).toBe('no-cache')
  expect(headers.get('access-control-allow-origin')).toBeNull()
  // A classic script, as the page registers it.
  expect(text).not.toMatch(/^\s*(import|export)\b/m)
  const again = await ask('GET /sw.js', {
    headers: { 'if-none-match': headers.get('etag') ?? '' },
  })
  expect(again.status).toBe(304)
})

test('/sw.js lists every file of the page by its address relative to the script', async () => {
  const { text: script } = await ask('GET /sw.js', plain)
  const { text: page } = await ask('GET /', plain)
  const named = [...page.matchAll(/(?:src|href)="\.?\/?([^"]+)"/g)].map(([, file]) => file ?? '')
  const files = named.filter((file) => /^assets\/|webmanifest$/.test(file))
  expect(files.length).toBeGreaterThan(3)
  for (const file of files) expect(script).toContain(`"./${file}"`)
  const listed = [...script.matchAll(/"\.\/(assets\/[^"]+)"/g)].map(([, file]) => file ?? '')
  expect(listed.length).toBeGreaterThan(50)
  for (const file of listed) expect((await ask(`GET /${file}`)).status).toBe(200)
})

test('the content security policy allows one worker and one policy that names it', async () => {
  const { headers } = await ask('GET /')
  const directives = (headers.get('content-security-policy') ?? '').split('; ')
  expect(directives).toContain("worker-src 'self'")
  expect(directives).toContain('trusted-types worker')
  expect(directives).toContain("require-trusted-types-for 'script'")
})
