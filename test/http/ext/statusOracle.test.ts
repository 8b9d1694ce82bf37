import { extUsage } from '../../../src/db/tables'
import { drizzleOn } from '../../tools/drizzle'
import { rounds } from '../../tools/rounds'
import { createFixture, type Json } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'
import { createRandom } from './random'

const testApp = createTestApp({ RATE_LIMIT: 'off' })
const { ask, deps } = testApp

const START = Date.UTC(2026, 0, 1)
const timeOf = (minute: number) => new Date(START + minute * 60_000).toISOString()
const minuteOf = (time: unknown) => (Date.parse(String(time)) - START) / 60_000

interface ModelSwitch {
  id: string
  at: number
  members: string[]
}

interface ModelNote {
  member: string
  at: number
  text: string | null
}

/** The rules of the contract, without regard to speed. */
function createModel() {
  let switches: ModelSwitch[] = []
  let notes: ModelNote[] = []
  const sorted = () => switches.toSorted((a, b) => a.at - b.at)
  const frontAt = (at: number) =>
    sorted()
      .filter((one) => one.at <= at)
      .at(-1)?.members ?? []
  const stintStart = (member: string, at: number) => {
    let start: number | null = null
    for (const one of sorted().filter((one) => one.at <= at))
      start = one.members.includes(member) ? (start ?? one.at) : null
    return start
  }
  return {
    switches: () => switches,
    notes: () => notes.toSorted((a, b) => b.at - a.at || a.member.localeCompare(b.member)),
    frontAt,
    stintStart,
    hasSwitchAt: (at: number) => switches.some((one) => one.at === at),
    log: (one: ModelSwitch) => switches.push(one),
    setStatus(note: ModelNote) {
      notes = notes.filter(({ member, at }) => member !== note.member || at !== note.at)
      notes.push(note)
    },
    move(id: string, to: number) {
      const one = switches.find((known) => known.id === id)
      if (!one) return
      const moved = notes.filter(({ at }) => at === one.at)
      notes = notes.filter(
        ({ at, member }) => at !== to || !moved.some((note) => note.member === member),
      )
      for (const note of moved) note.at = to
      one.at = to
    },
    edit(id: string, members: string[]) {
      const one = switches.find((known) => known.id === id)
      if (one) one.members = members
    },
    remove(id: string) {
      const one = switches.find((known) => known.id === id)
      switches = switches.filter((known) => known.id !== id)
      notes = notes.filter(({ at, member }) => at !== one?.at || frontAt(at).includes(member))
    },
    removeMember(member: string) {
      for (const one of switches) one.members = one.members.filter((known) => known !== member)
      notes = notes.filter((note) => note.member !== member)
    },
    statusAt(member: string, at: number): string | null {
      const start = stintStart(member, at)
      if (start === null) return null
      const current = notes.filter(
        (note) => note.member === member && note.at >= start && note.at <= at,
      )
      return current.toSorted((a, b) => a.at - b.at).at(-1)?.text ?? null
    },
  }
}

const SEEDS = Array.from({ length: rounds(6) }, (_, index) => index + 1)
const STEPS = 60

describe('statuses', () => {
  test.each(SEEDS)('follow the rules under random changes of the history (%i)', async (seed) => {
    const { owner: as } = await createFixture(testApp)
    await deleteHistory(as.token)
    const random = createRandom(seed)
    const model = createModel()
    let members: string[] = []
    for (const name of ['A', 'B', 'C', 'D'])
      members.push(String((await ask('POST /v2/members', { as, body: { name } })).json.uuid))
    const minute = () => random.below(40)
    const some = () => random.shuffle(members).slice(0, random.below(3))
    const anySwitch = () => model.switches()[random.below(model.switches().length)]
    const change = (line: string, body?: unknown) =>
      ask(line, { as, ...(body !== undefined && { body }) })

    const steps: Record<string, () => Promise<void>> = {
      async put() {
        const [at, named, id] = [minute(), some(), crypto.randomUUID()]
        const statuses = named.map(() => (random.below(2) === 0 ? `s${random.below(99)}` : null))
        const withStatus = random.below(3) > 0
        const body = {
          timestamp: timeOf(at),
          members: named.map((member, index) =>
            withStatus ? { id: member, status: statuses[index] } : member,
          ),
        }
        const { status } = await change(`PUT /ext/v1/systems/@me/switches/${id}`, body)
        expect(status).toBe(model.hasSwitchAt(at) ? 400 : 201)
        if (status !== 201) return
        model.log({ id, at, members: named })
        if (!withStatus) return
        for (const [index, member] of named.entries())
          model.setStatus({ member, at, text: statuses[index] ?? null })
      },
      async log() {
        const [at, named] = [minute(), some()]
        const body = { timestamp: timeOf(at), members: named }
        const { status, json } = await change('POST /v2/systems/@me/switches', body)
        if (status === 200) model.log({ id: String(json.id), at, members: named })
        else expect(json.code).toBeOneOf([40004, 40005])
      },
      async post() {
        const [at, member] = [minute(), members[random.below(members.length)] ?? '']
        const text = random.below(4) === 0 ? null : `p${random.below(99)}`
        const body = { kind: 'status', member, at: timeOf(at), text }
        const { status } = await change('POST /ext/v1/systems/@me/front/notes', body)
        const isInFront = model.frontAt(at).includes(member)
        const isKnown = model.notes().some((note) => note.member === member && note.at === at)
        expect(status).toBe(!isInFront ? 400 : isKnown ? 200 : 201)
        if (isInFront) model.setStatus({ member, at, text })
      },
      async move() {
        const one = anySwitch()
        if (!one) return
        const to = minute()
        const body = { timestamp: timeOf(to) }
        const { status } = await change(`PATCH /v2/systems/@me/switches/${one.id}`, body)
        expect(status).toBe(model.hasSwitchAt(to) ? 400 : 200)
        if (status === 200) model.move(one.id, to)
      },
      async edit() {
        const one = anySwitch()
        if (!one) return
        const named = some()
        const line = `PATCH /v2/systems/@me/switches/${one.id}/members`
        if ((await change(line, named)).status === 200) model.edit(one.id, named)
      },
      async remove() {
        const one = anySwitch()
        if (!one) return
        const api = random.below(2) === 0 ? '/v2' : '/ext/v1'
        expect((await change(`DELETE ${api}/systems/@me/switches/${one.id}`)).status).toBe(204)
        model.remove(one.id)
      },
      async removeMember() {
        if (random.below(8) > 0 || members.length < 3) return
        const [member = '', ...rest] = random.shuffle(members)
        expect((await change(`DELETE /v2/members/${member}`)).status).toBe(204)
        members = rest
        model.removeMember(member)
      },
    }
    const names = ['put', 'put', 'put', 'log', 'post', 'post', 'post', 'move', 'move', 'edit']
    const all = [...names, 'remove', 'removeMember']
    for (let step = 0; step < STEPS; step++) {
      await steps[all[random.below(all.length)] ?? 'put']?.()
      const front = await change('GET /ext/v1/systems/@me/front')
      const latest = model.switches().toSorted((a, b) => b.at - a.at)[0]
      if (!latest) expect(front.status).toBe(204)
      else
        expect(shown(front.json)).toEqual({
          switch: latest.id,
          fronters: latest.members.map((member) => ({
            member,
            since: model.stintStart(member, 1000),
            status: model.statusAt(member, 1000),
          })),
        })
    }
    const listed = (await ask<Json[]>('GET /ext/v1/systems/@me/front/notes?limit=1000', { as }))
      .json
    const stored = listed.map(({ member, at, text }) => ({ member, at: minuteOf(at), text }))
    expect(
      stored.toSorted((a, b) => b.at - a.at || String(a.member).localeCompare(String(b.member))),
    ).toEqual(model.notes())
    const history = (await ask<Json[]>('GET /v2/systems/@me/switches', { as })).json
    expect(history.map(({ id }) => id)).toEqual(
      model
        .switches()
        .toSorted((a, b) => b.at - a.at)
        .map(({ id }) => id),
    )
    const texts = stored.map(({ text }) => String(text ?? ''))
    expect(await usageOf(as.id)).toMatchObject({
      front_notes: stored.length,
      text_bytes: texts.join('').length,
    })
  })
})

async function deleteHistory(token: string): Promise<void> {
  const headers = { authorization: token }
  const { json } = await ask<Json[]>('GET /v2/systems/@me/switches', { headers })
  for (const { id } of json) await ask(`DELETE /v2/systems/@me/switches/${id}`, { headers })
}

async function usageOf(system: number) {
  const all = await drizzleOn(deps.db).select().from(extUsage).all()
  return all.find(({ system_id }) => system_id === system) ?? { front_notes: 0, text_bytes: 0 }
}

function shown(front: Json) {
  const fronters = front.fronters as { member: Json; since: string; status: string | null }[]
  return {
    switch: front.switch,
    fronters: fronters.map(({ member, since, status }) => ({
      member: member.uuid,
      since: minuteOf(since) as number | null,
      status,
    })),
  }
}
