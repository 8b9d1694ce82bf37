import * as pkapi from 'pkapi.js'
import { createBaseSystem, type Send, useAllExtensions } from '../tools/allExtensions'
import { fronting, ids, requireResult } from '../tools/client'
import { describe, expect, test } from '../tools/test'
import { createTestApp } from '../tools/testApp'

const { app, ask, makeSystem } = createTestApp({ PORT: '0', RATE_LIMIT: 'off' })
const base_url = app.listen()

/** Creates a system that uses all extensions, and a client with its token. */
async function connect() {
  const system = await makeSystem('Lantern Hill')
  const send: Send = async <T>(line: string, body?: unknown) => {
    const { status, text, json } = await ask<T>(line, { as: system, body })
    if (status >= 400) throw new Error(`${line}: ${text}`)
    return json
  }
  const base = await createBaseSystem(send)
  await useAllExtensions(send, base)
  const api = new pkapi.PKAPI({ base_url, debug: false, token: system.token })
  return { api, base, hid: system.hid, idAt: (at: number) => base.members[at]?.id ?? '' }
}

/** Tests only read this one. */
const unchanged = await connect()

describe('pkapi.js with a system that uses all extensions', () => {
  test('lists custom fronts and archived members like other members', async () => {
    const { api, hid, idAt } = unchanged
    const members = await api.getMembers({ system: hid })
    expect([...members.values()].map(({ name }) => name)).toEqual(['Wren', 'Ash', 'Elm', 'Asleep'])
    const asleep = await api.getMember({ member: idAt(3) })
    expect(asleep).toBeInstanceOf(pkapi.Member)
    expect(asleep).toMatchObject({ name: 'Asleep', description: 'About Asleep' })
  })

  test('lists nested groups as a flat list with their own members', async () => {
    const { api, base, hid, idAt } = unchanged
    const groups = await api.getGroups({ system: hid, with_members: true })
    expect([...groups.values()].map(({ name }) => name)).toEqual(['Keepers', 'Lamps', 'Guests'])
    const lamps = await api.getGroup({ group: base.groups[1]?.id ?? '' })
    expect(await ids(lamps.getMembers())).toEqual([idAt(1), idAt(2), idAt(3)])
  })

  test('gets members, groups and fronters through the system', async () => {
    const { api, hid, idAt } = unchanged
    const own = await api.getSystem()
    expect(await ids(own.getMembers())).toHaveLength(4)
    expect(await ids(own.getGroups())).toHaveLength(3)
    expect(fronting(await requireResult(api.getFronters({ system: hid })))).toEqual([
      idAt(0),
      idAt(1),
    ])
  })

  test('logs, moves and deletes switches that have statuses and comments', async () => {
    const { api, base, hid, idAt } = await connect()
    const logged = await requireResult(api.createSwitch({ members: [idAt(3), idAt(2)] }))
    expect(fronting(await requireResult(api.getFronters({ system: hid })))).toEqual([
      idAt(3),
      idAt(2),
    ])
    const switches = await requireResult(api.getSwitches({ system: hid }))
    expect(switches.size).toBe(4)
    await api.deleteSwitch({ switch: logged.id })
    await api.patchSwitchTimestamp({
      switch: base.current,
      timestamp: new Date('2026-01-01T11:00:00Z'),
    })
    expect(fronting(await requireResult(api.getFronters({ system: hid })))).toEqual([
      idAt(0),
      idAt(1),
    ])
  })

  test('updates and deletes members and groups', async () => {
    const { api, base, hid, idAt } = await connect()
    const wren = await api.getMember({ member: idAt(0) })
    wren.description = 'Shorter'
    await wren.patch()
    expect(await api.getMember({ member: idAt(0) })).toMatchObject({ description: 'Shorter' })
    await api.deleteGroup({ group: base.groups[1]?.id ?? '' })
    expect(await ids(api.getGroups({ system: hid }))).toEqual([
      base.groups[0]?.id ?? '',
      base.groups[2]?.id ?? '',
    ])
    await api.deleteMember({ member: idAt(3) })
    expect(await ids(api.getMembers({ system: hid }))).toEqual([idAt(0), idAt(1), idAt(2)])
  })
})
