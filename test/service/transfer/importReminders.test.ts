import type { JsonObject } from '../../../src/model/core/entity'
import { exportSystem } from '../../tools/operatorActions'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'
import { exportText, importInto } from './importFixture'

const testApp = createTestApp({ RATE_LIMIT: 'off' })

const repeat = {
  name: 'Log your front',
  text: 'Who is here?',
  kind: 'repeat',
  every_days: 1,
  at: '09:00',
  from: '2026-03-22',
}

const toBytes = (file: JsonObject) => Buffer.from(JSON.stringify(file))

async function withReminder(): Promise<TestSystem> {
  const system = await testApp.makeSystem('Lantern Hill')
  const created = await testApp.ask('POST /ext/v1/systems/@me/reminders', {
    as: system,
    body: repeat,
  })
  expect(created.status).toBe(201)
  expect(created.json.due).not.toBeNull()
  return system
}

async function exportOf(system: TestSystem) {
  const file = JSON.parse(await exportText(testApp.deps, system.id))
  return { file, reminders: file.multitude.ext.reminders as JsonObject[] }
}

const remindersOf = async (as: TestSystem) =>
  (await testApp.ask<JsonObject[]>('GET /ext/v1/systems/@me/reminders', { as })).json

/** A file of ours with reminders. */
const ours = (reminders: readonly JsonObject[]) =>
  toBytes({
    version: 2,
    members: [],
    groups: [],
    switches: [],
    multitude: { ext: { version: 1, reminders } },
  })

describe('reminders of an export', () => {
  test('have all keys but when they are due', async () => {
    const { reminders } = await exportOf(await withReminder())
    expect(reminders).toEqual([
      {
        id: expect.any(String),
        ...repeat,
        after: null,
        on: null,
        enabled: true,
        last_fired: null,
        created: expect.any(String),
      },
    ])
  })

  test('arrive off, once, and with everything else they had', async () => {
    const { file, reminders } = await exportOf(await withReminder())
    const target = await testApp.makeSystem()
    const report = await importInto(testApp, target, toBytes(file))
    expect(report.ext?.reminders).toEqual({ added: 1, changed: 0, unchanged: 0, left_out: 0 })
    const [found = {}] = await remindersOf(target)
    expect(found).toMatchObject({
      ...repeat,
      enabled: false,
      due: null,
      created: reminders[0]?.created,
    })
    expect(found.id).not.toBe(reminders[0]?.id)
  })

  test('change nothing when they are imported into their system again', async () => {
    const system = await withReminder()
    const before = await remindersOf(system)
    const report = await importInto(testApp, system, toBytes((await exportOf(system)).file))
    expect(report.ext?.reminders).toEqual({ added: 0, changed: 0, unchanged: 1, left_out: 0 })
    expect(await remindersOf(system)).toEqual(before)
  })

  test('are part of a partial export only on request', async () => {
    const system = await withReminder()
    const member = await testApp.ask('POST /v2/members', { as: system, body: { name: 'Wren' } })
    const listed = async (lists: readonly 'reminders'[]) => {
      const choice = { members: [String(member.json.id)], groups: null, with: new Set(lists) }
      const { file } = await exportSystem(testApp.deps, system.id, choice)
      return JSON.parse(new TextDecoder().decode(file)).multitude.ext?.reminders ?? []
    }
    expect(await listed([])).toEqual([])
    expect(await listed(['reminders'])).toHaveLength(1)
  })
})

describe('an import of reminders', () => {
  test('ignores that they are on and when they are due', async () => {
    const system = await testApp.makeSystem()
    const due = '2020-01-01T00:00:00Z'
    await importInto(testApp, system, ours([{ ...repeat, enabled: true, due }]))
    expect(await remindersOf(system)).toMatchObject([{ enabled: false, due: null }])
  })

  test('leaves out incomplete ones', async () => {
    const system = await testApp.makeSystem()
    const report = await importInto(
      testApp,
      system,
      ours([{ ...repeat, at: '25:00' }, { ...repeat, after: 60 }, { name: 'x' }, repeat]),
    )
    expect(report.ext?.reminders).toMatchObject({ added: 1, left_out: 3 })
  })

  test('is left out unless `only` names it', async () => {
    const system = await testApp.makeSystem()
    const left = await importInto(testApp, system, ours([repeat]), { only: new Set(['notes']) })
    expect(left.ext?.reminders).toMatchObject({ added: 0, left_out: 1 })
    const taken = await importInto(testApp, system, ours([repeat]), {
      only: new Set(['reminders']),
    })
    expect(taken.ext?.reminders).toMatchObject({ added: 1, left_out: 0 })
  })

  test('takes the newest ones up to the limit', async () => {
    const system = await testApp.makeSystem()
    const many = Array.from({ length: 55 }, (_, at) => ({
      ...repeat,
      name: `Reminder ${at}`,
      created: new Date(Date.UTC(2026, 0, 1 + at)).toISOString(),
    }))
    const report = await importInto(testApp, system, ours(many))
    expect(report.ext?.reminders).toMatchObject({ added: 50, left_out: 5 })
    expect((await remindersOf(system))[0]).toMatchObject({ name: 'Reminder 5' })
  })
})
