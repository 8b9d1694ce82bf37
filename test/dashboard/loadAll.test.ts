import type { SerializedMember } from '../../src/dashboard/api/types'
import {
  clearStore,
  isFromCopy,
  isLoaded,
  loadAll,
  members,
  system,
} from '../../src/dashboard/core/store'
import { afterAll, expect, test } from '../tools/test'
import { until } from '../tools/until'

const held = Promise.withResolvers<void>()
const arrived = Promise.withResolvers<void>()
const server = Bun.serve({
  port: 0,
  async fetch({ url }) {
    const { pathname } = new URL(url)
    if (pathname === '/v2/systems/@me') return Response.json({ id: 'lanter', name: 'Lantern Hill' })
    if (pathname === '/ext/v1/systems/@me/members')
      return Response.json([{ member: { uuid: '1', name: 'Wren' } }] as SerializedMember[])
    if (pathname === '/v2/systems/@me/settings') {
      arrived.resolve()
      await held.promise
      return Response.json({})
    }
    return Response.json(pathname.endsWith('/front') ? { fronters: [] } : [])
  },
})
const { fetch } = globalThis
// The page's requests are relative to its address.
globalThis.fetch = Object.assign(
  (path: string, init: RequestInit) => fetch(new URL(path, server.url), init),
  fetch,
)
afterAll(async () => {
  globalThis.fetch = fetch
  clearStore()
  await server.stop(true)
})

test('loadAll loads again what a copy has replaced meanwhile', async () => {
  const loading = loadAll()
  await arrived.promise
  await until(() => system.value !== null && members.value.length > 0)
  if (system.value) system.value = { ...system.value, name: 'Old name' }
  members.value = []
  isFromCopy.value = true
  isLoaded.value = true
  held.resolve()
  await loading
  expect(isFromCopy.value).toBe(false)
  expect(system.value?.name).toBe('Lantern Hill')
  expect(members.value.map(({ name }) => name)).toEqual(['Wren'])
})
