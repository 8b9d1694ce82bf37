import type { Page } from 'playwright-core'
import { zipOf } from '../../dashboard/zipFiles'
import { archiveRows } from './archivedRows'
import type { TestServer } from './testServer'
import { type SeededSystem, seedSystem } from './testSystem'

/** Every page, sheet and state of the dashboard, for checks that apply to all of them. */

/** Something to do on a page before it is looked at. Names are CSS, because the texts differ. */
type Step = (page: Page) => Promise<void>

/** The address is a hash, or a URL of another server. Requests to `refused` get no answer. */
export type DashboardState = [
  name: string,
  address: string,
  step?: Step | undefined,
  refused?: string,
]

const click =
  (...selectors: string[]): Step =>
  async (page) => {
    for (const selector of selectors) await page.locator(selector).first().click()
  }

const DAY_MS = 86_400_000

const importFile = JSON.stringify({
  version: 2,
  members: [{ id: 'aaaaa', name: 'Fern', color: 'reddish', birthday: 'soon', created: 'soon' }],
  switches: [
    { timestamp: 'soon', members: ['aaaaa'] },
    { timestamp: '2021-01-01T00:00:00Z', members: 'aaaaa' },
    { timestamp: '2021-01-02T00:00:00Z', members: ['zzzzz'] },
  ],
})

const onePixel = {
  name: 'pixel.gif',
  mimeType: 'image/gif',
  buffer: Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64'),
}

const simplyPlural = JSON.stringify({ frontStatuses: [], members: [{ _id: 'm1', name: 'Fern' }] })

const avatars = Buffer.from(zipOf([{ name: 'Fern.png', bytes: onePixel.buffer }]))

function toFile(name: string, buffer: Buffer) {
  return { name, mimeType: 'application/octet-stream', buffer }
}

/** Fills a system and lists the states that show it. */
export async function createStates(testServer: TestServer, emptyServer: TestServer) {
  const system = await seedSystem(testServer, 'Lantern Hill')
  await system.setSwitches([30, 'Moss'], [20, 'Juno', 'Iris'], [3, 'Wren', 'Iris'])
  const group = await system.ask<{ id: string }>('POST /v2/groups', { name: 'Littles' })
  await system.ask(`POST /v2/groups/${group.id}/members/add`, [system.idOf('Juno')])
  const inner = await system.ask<{ id: string }>('POST /v2/groups', { name: 'Small ones' })
  await system.ask(`PATCH /ext/v1/groups/${inner.id}`, { parent: group.id, emoji: '🌱' })
  const values = await createFields(system)
  await system.ask(`PATCH /ext/v1/members/${system.idOf('Wren')}`, { fields: values })
  const { token } = await system.ask<{ token: string }>('POST /v2/systems/@me/tokens', {
    name: 'Sam',
    scope: 'watch',
  })
  const iris = await system.ask<{ uuid: string }>(`GET /v2/members/${system.idOf('Iris')}`)
  await system.ask('PATCH /web/preferences', { pinned: [iris.uuid] })
  const wren = system.idOf('Wren')
  const asleep = await system.ask<{ member: { id: string } }>('POST /ext/v1/members', {
    member: { name: 'Asleep' },
    kind: 'custom_front',
  })
  const away = system.idOf('Atlas')
  await system.ask(`PATCH /ext/v1/members/${away}`, { archived: true, archived_reason: 'Fern' })
  const texts = [
    { kind: 'status', member: wren, text: 'at work' },
    { kind: 'comment', text: 'A quiet evening.', by: wren, member: system.idOf('Iris') },
    { kind: 'comment', text: 'Rain.', at: new Date(Date.now() - DAY_MS).toISOString() },
  ]
  for (const text of texts) await system.ask('POST /ext/v1/systems/@me/front/notes', text)
  await system.ask('POST /ext/v1/systems/@me/posts', { for: wren, text: 'Milk, please.' })
  const journal = await seedJournal(system, iris.uuid)
  const friends = await seedFriends(testServer, system)
  await archiveRows(system)
  // Made by imports of earlier releases. Its name is English in all languages.
  const old = await system.ask<{ id: string }>('POST /v2/groups', {
    name: 'Archived',
    display_name: 'Lantern room',
  })
  await system.ask(`POST /v2/groups/${old.id}/members/add`, [away])
  const yesterday = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10)
  const { url } = await emptyServer.operate<{ url: string }>('login', '--setup')
  const setupLink = `${emptyServer.server.address}/${url.slice(url.indexOf('#'))}`
  const states: DashboardState[] = [
    ['login', 'login/'],
    ['used login link', 'login/used'],
    ['login link without an answer', 'login/code', undefined, '**/web/login'],
    ['set-up', setupLink],
    ['used set-up link', 'setup/used'],
    ['new system', 'create'],
    ['new system without an answer', 'create', click('.chip:nth-child(2)', 'form .main')],
    ['Now', 'now'],
    ['Now with a selection', 'now', click('.tile')],
    ['status sheet', 'now', click('.here-now .about button')],
    ['comment sheet', 'now', click('.here-now > .plain')],
    ['status of a switch', 'now', click('.tile', '.action-bar .plain')],
    [
      'Now with a past time',
      'now',
      click('.row .plain:nth-child(2)', '.earlier .chip:nth-child(4)'),
    ],
    ['Now with a search', 'now', click('.heading .plain')],
    ['shortcut help', 'now', (page) => page.keyboard.press('?')],
    ['member list', 'members'],
    ['search for archived members', 'members', (page) => page.locator('.search input').fill('as')],
    ['archived members', 'members', click('.choice .chip:nth-child(5)')],
    ['selection of members', 'members', click('.heading .plain', '.members input')],
    [
      'privacy sheet',
      'members',
      click('.heading .plain', '.members input', '.selecting .row button'),
    ],
    [
      'groups sheet',
      'members',
      click('.heading .plain', '.members input', '.selecting .row button:nth-child(2)'),
    ],
    [
      'deletion sheet',
      'members',
      click('.heading .plain', '.members input', '.selecting .row button:nth-child(3)'),
    ],
    ['sheet for a new member', 'members', click('.heading .main')],
    ['member page', `members/${wren}`],
    ['history of a member', `members/${wren}/history`],
    ['page of a custom front', `members/${asleep.member.id}`],
    ['page of an archived member', `members/${away}`],
    ['page of a pinned member', `members/${system.idOf('Iris')}`],
    ['public view of a member', `members/${wren}`, click('.halves button:nth-child(2)')],
    [
      'member form',
      `members/${wren}/edit`,
      click(...[2, 3, 4].map((at) => `.fold:nth-of-type(${at}) summary`)),
    ],
    [
      'sheet that crops a picture',
      `members/${wren}/edit`,
      async (page) => {
        await page.locator('.fold:nth-of-type(3) summary').click()
        await page.locator('.fold .file input').first().setInputFiles(onePixel)
        await page.locator('dialog canvas').waitFor()
      },
    ],
    ['form of an archived member', `members/${away}/edit`],
    [
      'question before a fronter is archived',
      `members/${wren}/edit`,
      click('section[aria-labelledby=archive] button'),
    ],
    ['unknown member', 'members/zzzzz'],
    ['group list', 'groups'],
    ['sheet for a new group', 'groups', click('.heading .main')],
    ['sheet that moves a group', 'groups', click('.tree li > .round:last-child')],
    ['group page', `groups/${group.id}`],
    ['page of a group inside of another', `groups/${inner.id}`],
    ['members of a group', `groups/${group.id}`, click('.head .main')],
    ['group form', `groups/${group.id}/edit`],
    ['Fields', 'fields'],
    [
      'sheet for a new field',
      'fields',
      async (page) => {
        await page.locator('.heading .main').click()
        await page.locator('dialog select').selectOption('choice')
        await page.locator('dialog [type=submit]').click()
      },
    ],
    ['sheet of a field', 'fields', click('.things > li > .row > .round')],
    ['question about a field', 'fields', click('.things > li > .row > .round', 'dialog .danger')],
    ['fields that could not be loaded', 'fields', undefined, '**/ext/v1/systems/@me/fields'],
    ['history as days', 'history'],
    ['history as a table', 'history', click('.days .plain')],
    ['history as a list', 'history/list'],
    ['switch sheet', 'history/list', click('.switches .round')],
    [
      'status in the past',
      'history/list',
      click('.switches .round', 'dialog .row .plain:first-child'),
    ],
    [
      'deletion of a comment',
      'history/day',
      click('.heading ~ .switches .round', 'dialog .danger'),
    ],
    ['sheet for a past switch', 'history', click('.heading button')],
    ['history as a month', 'history/month'],
    ['history of a day', `history/day?date=${yesterday}&time=12:00`],
    ['Insights', 'insights'],
    [
      'Insights as tables',
      'insights',
      async (page) => {
        for (const chart of await page.locator('.chart').all())
          await chart.locator('header .plain').first().click()
      },
    ],
    ['figures that could not be loaded', 'insights', undefined, '**/fronting/**'],
    ['custom period', 'insights', click('.chips .chip:nth-child(6)')],
    ['Privacy', 'privacy', click('.card .chips:last-of-type .chip:last-of-type')],
    [
      'Privacy of hidden members',
      'privacy',
      click('section[aria-labelledby=many] fieldset:last-of-type .chip:nth-child(3)'),
    ],
    ['Friends', 'friends'],
    ['question about a link', 'friends', click('.things .danger')],
    ['what a friend sees', 'friends', click('li.card .row button')],
    ['question about a friend', 'friends', click('li.card .danger')],
    ['sheet for an invitation', 'friends', click('.heading .main')],
    [
      'new invitation',
      'friends',
      async (page) => {
        // There may be only a few open ones.
        await friends.withdrawAll()
        await click('.heading .main', 'dialog [type=submit]')(page)
        await page.locator('#code').waitFor()
      },
    ],
    ['missing code', 'friends', click('form.card:has(#field-invite-code) [type=submit]')],
    ['invitation', `friend/${friends.code}`],
    ['used invitation', 'friend/used'],
    ['sheet of a bucket', 'friends', click('section[aria-labelledby=buckets] .round')],
    [
      'sheet for a new bucket',
      'friends',
      click('section[aria-labelledby=buckets] > div > button', 'dialog [type=submit]'),
    ],
    [
      'contents of a bucket',
      'friends',
      click('section[aria-labelledby=buckets] .things button', 'dialog .chip:last-child'),
    ],
    ['friends that could not be loaded', 'friends', undefined, '**/ext/v1/friends'],
    ['buckets that could not be loaded', 'friends', undefined, '**/ext/v1/buckets'],
    ['page of a friend', `friends/${friends.id}`],
    ['member of a friend', `friends/${friends.id}`, click('.tile')],
    ['unknown friend', 'friends/none'],
    ['view of a friend', `members/${wren}`, click('.lens button:nth-child(2)')],
    ['sheet for a new member', 'members', click('.heading .main', 'dialog summary')],
    ['sheet for a new group', 'groups', click('.heading .main', 'dialog summary')],
    ['import and export', 'import'],
    [
      'import preview',
      'import',
      async (page) => {
        const file = {
          name: 'system.json',
          mimeType: 'application/json',
          buffer: Buffer.from(importFile),
        }
        await page.locator('input[type=file]').setInputFiles(file)
        await page.locator('.tallies').waitFor()
        for (const fold of await page.locator('.folds summary').all()) await fold.click()
      },
    ],
    [
      'avatar archive',
      'import',
      async (page) => {
        const input = page.locator('input[type=file]')
        await input.setInputFiles(toFile('system.json', Buffer.from(simplyPlural)))
        await page.locator('.tallies').waitFor()
        await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' })
        // The import makes the system private, and public pages follow.
        const { privacy } = await system.ask<{ privacy: object }>('GET /v2/systems/@me')
        await page.locator('.card .main').click()
        await page.locator('.folds .file input').setInputFiles(toFile('x.zip', avatars))
        await system.ask('PATCH /v2/systems/@me', { privacy })
        await page.locator('.folds > .fold summary').click()
      },
    ],
    ['Archived data', 'archive'],
    ['question about an old group', 'archive', click('.danger')],
    ['archived rows', 'archive/rows/notes'],
    ['question about archived rows', 'archive/rows/polls', click('.danger')],
    ['unknown archived rows', 'archive/rows/aaaaa'],
    [
      'preview of the conversion',
      'archive/convert',
      async (page) => {
        await page.locator('.tallies').waitFor()
        for (const fold of await page.locator('summary').all()) await fold.click()
      },
    ],
    ['archived data that could not be loaded', 'archive', undefined, '**/@me/archive'],
    ['conversion without an answer', 'archive/convert', undefined, '**/archive/convert**'],
    ['device list', 'devices'],
    [
      'link for another device',
      'devices',
      async (page) => {
        await page.locator('section[aria-labelledby=another-device] button').click()
        await page.locator('.qr').waitFor()
      },
    ],
    ['name of a device', 'devices', click('.things li button')],
    ['question about a token', 'devices', click('.things .danger')],
    ['appearance', 'appearance'],
    ['system page', 'system'],
    [
      'refused webhook',
      'system',
      async (page) => {
        await page.locator('#field-webhook-url').fill('http://example.com/')
        await page.locator('section[aria-labelledby=webhook] form button').click()
        await page.locator('#problem-webhook-url:not(:empty)').waitFor()
      },
    ],
    ['system form', 'system/edit'],
    [
      'settings form',
      'system/settings',
      click('.fold:nth-of-type(3) summary', '.fold:nth-of-type(4) summary'),
    ],
    ['More', 'more'],
    ['note list', 'notes'],
    ['note', `notes/${journal.note}`],
    ['note form', `notes/${journal.note}/edit`],
    ['form of a new note', 'notes/new'],
    ['question about a note', `notes/${journal.note}`, click('.danger')],
    ['notes that could not be loaded', 'notes', undefined, '**/notes?**'],
    ['Chat', 'chat'],
    ['order of rooms', 'chat', click('section[aria-labelledby=rooms] .plain')],
    [
      'sheet for a new room',
      'chat',
      click('section[aria-labelledby=rooms] .row button:last-child'),
    ],
    ['sheet for a new poll', 'chat', click('section[aria-labelledby=polls] .heading button')],
    ['board', `chat/board/${iris.uuid}`],
    ['reply', `chat/board/${iris.uuid}`, click('article .plain')],
    ['post form', `chat/board/${iris.uuid}`, click('article .plain:nth-child(2)')],
    ['room', `chat/room/${journal.room}`],
    ['poll', `chat/poll/${journal.poll}`],
    ['vote sheet', `chat/poll/${journal.poll}`, click('main > .main')],
    ['poll form', `chat/poll/${journal.poll}`, click('main > .row button')],
    ['Reminders', 'reminders'],
    ['sheet for a new reminder', 'reminders', click('.heading .main', 'dialog [type=submit]')],
    [
      'sheet for a reminder after a switch',
      'reminders',
      async (page) => {
        await page.locator('.heading .main').click()
        await page.locator('dialog .chip:last-child').click()
        await page.locator('dialog [type=number]').fill('0')
        await page.locator('dialog [type=submit]').click()
      },
    ],
    ['sheet of a reminder', 'reminders', click('.things .round')],
    [
      'reminders that could not be loaded',
      'reminders',
      undefined,
      '**/ext/v1/systems/@me/reminders',
    ],
    ['notes of a member', `members/${wren}/notes`],
    ['board of a member', `members/${system.idOf('Iris')}/board`],
    ['public page', `systems/${system.hid}`],
    ['public sheet of a member', `systems/${system.hid}`, click('.tile')],
    ['unknown public page', 'systems/zzzzz'],
    ['friend page', `watch/${encodeURIComponent(token)}`],
    // From here on, Now has a card about these switches.
    ['waiting switches', 'now', waitingSwitches(system, iris.uuid)],
    ['list of waiting switches', 'now', click('.card[aria-label] > button')],
    [
      'editor of a waiting switch',
      'now',
      click('.card[aria-label] > button', 'dialog .things button'),
    ],
    ['question at logout with waiting switches', 'more', click('main .danger, main button')],
  ]
  return { system, ids: [system.hid, wren, group.id], states }
}

/** Stores switches as a device does: one that the server refused, and others that wait. */
function waitingSwitches(system: SeededSystem, member: string): Step {
  return async (page) => {
    const { uuid } = await system.ask<{ uuid: string }>('GET /v2/systems/@me')
    const common = { system: uuid, members: [member], statuses: [], isTried: true, moves: 0 }
    const timestamp = Date.now() * 1000
    const stored = ['a', 'b', 'c'].map((digit, at) => ({
      ...common,
      uuid: `${digit.repeat(8)}-0000-4000-8000-000000000000`,
      kind: at === 2 ? 'sent' : 'put',
      timestamp: timestamp + at * 1000,
      leftOut: at === 2 ? 1 : 0,
      problem: at < 2 ? { status: 400, code: 40003, message: '' } : null,
    }))
    await page.evaluate(`localStorage.setItem('multitude-keeps', '1')`)
    await page.evaluate(`new Promise((resolve, reject) => {
      const opening = indexedDB.open('multitude /', 1)
      opening.onupgradeneeded = () => {
        opening.result.createObjectStore('queue', { keyPath: 'order', autoIncrement: true })
        opening.result.createObjectStore('device')
      }
      opening.onerror = reject
      opening.onsuccess = () => {
        const tx = opening.result.transaction('queue', 'readwrite')
        for (const one of ${JSON.stringify(stored)}) tx.objectStore('queue').add(one)
        tx.oncomplete = () => resolve(opening.result.close())
      }
    })`)
    await page.reload()
    await page.locator('.card[aria-label] > button').waitFor()
  }
}

/** Adds a field of each type and returns a value of each by the ID of its field. */
async function createFields(system: SeededSystem): Promise<Record<string, unknown>> {
  const options = [{ name: 'Keeper', color: '88c0a8' }, { name: 'Host' }]
  const examples: [type: string, value: (ids: string[]) => unknown][] = [
    ['text', () => 'Fern'],
    ['markdown', () => 'Green and **tall**.'],
    ['color', () => '6f9e5e'],
    ['date', () => '2020-03-14'],
    ['month', () => '11'],
    ['year', () => '1998'],
    ['month_year', () => '2019-05'],
    ['month_day', () => '02-29'],
    ['moment', () => '2021-07-01T18:30'],
    ['number', () => 171.5],
    ['flag', () => true],
    ['url', () => 'https://music.example.org/fern'],
    ['choice', ([first]) => first],
    ['choices', (ids) => ids],
  ]
  const values: Record<string, unknown> = {}
  for (const [type, value] of examples) {
    const field = await system.ask<{ id: string; options: { id: string }[] | null }>(
      'POST /ext/v1/systems/@me/fields',
      { name: `Lantern ${type}`, type, ...(type.startsWith('choice') && { options }) },
    )
    values[field.id] = value((field.options ?? []).map(({ id }) => id))
  }
  return values
}

/** Adds a note, posts on a board and in a room, and a poll with votes. */
async function seedJournal(system: SeededSystem, member: string) {
  const create = (kind: string, body: object) =>
    system.ask<{ id: string; options: { id: string }[] }>(`POST /ext/v1/systems/@me/${kind}`, body)
  const note = await create('notes', {
    member,
    title: 'Tuesday',
    text: '**Quiet** morning.',
    color: '88c0a8',
    pinned: true,
  })
  const room = await create('rooms', { name: 'General', category: 'Business' })
  await create('rooms', { name: 'Lobby' })
  await create('posts', { room: room.id, by: member, text: 'Hello' })
  const first = await create('posts', { for: member, title: 'Groceries', text: 'Milk, please.' })
  await create('posts', { for: member, by: member, text: 'Done.', reply_to: first.id })
  const poll = await create('polls', {
    name: 'Move the desk?',
    options: [
      { name: 'yes', color: '6f9e5e' },
      { name: 'no', veto: true },
    ],
    ends: new Date(Date.now() + DAY_MS).toISOString(),
  })
  await system.ask(`PUT /ext/v1/polls/${poll.id}/votes/${member}`, { option: poll.options[1]?.id })
  const repeat = { kind: 'repeat', every_days: 3, at: '09:00', from: '2026-03-22' }
  await create('reminders', { name: 'Lantern oil', text: 'Trim it', ...repeat })
  await create('reminders', {
    name: 'Lantern check',
    kind: 'after_switch',
    after: 5_400,
    on: 'any',
  })
  await create('reminders', { name: 'Lantern off', ...repeat, enabled: false })
  return { note: note.id, room: room.id, poll: poll.id }
}

/** Makes another system a friend, with something shared by each, and an invitation by it. */
async function seedFriends(testServer: TestServer, system: SeededSystem) {
  const other = await seedSystem(testServer, 'Harbour House')
  await other.setSwitches([3, 'Moss', 'Juno'])
  const invite = (from: SeededSystem, body: object = {}) =>
    from.ask<{ code: string }>('POST /ext/v1/friends/invites', body)
  const { code } = await invite(system, { share: { see_members: true } })
  const share = { see_members: true }
  const { id } = await other.ask<{ id: string }>('POST /ext/v1/friends', { code, share })
  for (const one of [system, other]) {
    const [bucket] = await one.ask<{ id: string }[]>('GET /ext/v1/buckets')
    const fields = await one.ask<{ id: string }[]>('GET /ext/v1/systems/@me/fields')
    await one.ask(`PUT /ext/v1/buckets/${bucket?.id}/contents`, {
      members: [one.idOf('Wren'), one.idOf('Moss')],
      fields: fields.map((field) => field.id),
    })
  }
  await invite(system, { name: 'Sam' })
  return {
    id,
    code: (await invite(other, { share })).code,
    async withdrawAll() {
      const open = await system.ask<{ id: string }[]>('GET /ext/v1/friends/invites')
      for (const one of open) await system.ask(`DELETE /ext/v1/friends/invites/${one.id}`)
      await invite(system, { name: 'Sam' })
    },
  }
}
