import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { zipOf } from '../dashboard/zipFiles'
import { emptyFolder } from '../tools/serverProcess'
import { generateFile } from '../tools/simplyplural/generateFile'
import { expect, test } from '../tools/test'
import { until } from '../tools/until'
import {
  disconnect,
  expectAccessible,
  expectLargeTargets,
  expectNoHorizontalScroll,
  restoreNetwork,
  startBrowser,
  visit,
  waitForTitle,
} from './tools/browser'
import { shareTestServer, startTestServer } from './tools/testServer'
import { describeDashboard, logIn, startSession, waitForPage } from './tools/testSystem'

const browser = await startBrowser()
const testServer = await shareTestServer()
const { address } = testServer.server
const openServer = await startTestServer('Somebody else', ['--web-registration', 'open'])
const smallServer = await startTestServer('Somebody else', ['--ext-text-quota', '2KiB'])
/** Systems whose files the server receives at the same time. */
const PLACES = 8
const fixtures = join(import.meta.dir, '../formats/fixtures')

describeDashboard(browser, testServer, ({ size, system, openNow }) => {
  /** Creates an empty system and logs in. */
  const openEmptySystem = async () => {
    const { token } = await testServer.operate<{ token: string }>(
      'system',
      'create',
      '--name',
      'New',
    )
    const visitor = await visit(browser, size)
    await startSession(visitor.context, testServer, token)
    await visitor.page.goto(address)
    await visitor.page.getByRole('heading', { name: 'No members yet.' }).waitFor()
    const ask = <T>(line: string) => testServer.ask<T>(line, undefined, token)
    return { visitor, page: visitor.page, ask }
  }
  const chooseFile = async (page: Page, name: string) => {
    await page.getByLabel('Choose a file').setInputFiles(join(fixtures, name))
    await page.locator('.tallies').waitFor()
  }
  const giveFile = (page: Page, content: object) =>
    page.getByLabel('Choose a file').setInputFiles({
      name: 'export.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(content)),
    })
  const announced = (page: Page, text: string) =>
    page.locator('#said').filter({ hasText: text }).waitFor({ state: 'attached' })
  const tally = (page: Page, part: string) =>
    page.locator('.tallies div', { has: page.getByText(part, { exact: true }) }).locator('dd')

  test('previews a Simply Plural file, imports it, and changes nothing the second time', async () => {
    const { visitor, page, ask } = await openEmptySystem()
    await expectAccessible(visitor)
    await expectNoHorizontalScroll(visitor)
    await page
      .getByRole('link', { name: 'Import from PluralKit, Tupperbox, Simply Plural or PluralPort' })
      .click()
    await page.getByRole('heading', { name: 'Import and export', level: 1 }).waitFor()
    await waitForTitle(page, 'Import and export')
    await expectAccessible(visitor)
    await chooseFile(page, 'simplyplural.json')
    await page.getByRole('heading', { name: 'A Simply Plural file' }).waitFor()
    await page.getByText('Preview').waitFor()
    await page.getByText('arrives private').waitFor()
    expect(await tally(page, 'Members').textContent()).toBe('3 new')
    expect(await tally(page, 'Switches').textContent()).toBe('5 new')
    await page.getByText(/^Stored as archived data \(\d+\)$/).click()
    await expectAccessible(visitor)
    await expectLargeTargets(visitor)
    await expectNoHorizontalScroll(visitor)
    expect(await ask<unknown[]>('GET /v2/systems/@me/members')).toEqual([])

    await page.getByRole('button', { name: 'Import' }).click()
    await page.getByRole('heading', { name: 'Import finished' }).waitFor()
    await announced(page, 'Members: 3 new')
    await expectAccessible(visitor)
    const people = await ask<{ name: string }[]>('GET /v2/systems/@me/members')
    expect(people.map(({ name }) => name).toSorted()).toEqual(['Ash', 'Asleep', 'Wren'])
    expect(await ask<unknown[]>('GET /v2/systems/@me/switches')).toHaveLength(5)

    await page.getByRole('link', { name: 'Go to Now' }).click()
    await page.getByRole('list', { name: 'Custom fronts' }).getByText('Asleep').waitFor()
    const before = await ask('GET /v2/systems/@me/export')

    await page.goto(`${address}/#/import`)
    await chooseFile(page, 'simplyplural.json')
    await page.getByText('Everything in this file is here already.').waitFor()
    await page.getByRole('button', { name: 'Import' }).click()
    await page.getByText('Nothing changed.').first().waitFor()
    const after = await ask('GET /v2/systems/@me/export')
    expect(withoutExportTime(after)).toEqual(withoutExportTime(before))
  })

  test('recognizes a PluralPort file, imports it, and refuses another version', async () => {
    const { visitor, page, ask } = await openEmptySystem()
    await page.goto(`${address}/#/import`)
    await giveFile(page, { pluralport_version: '0.2', members: [] })
    await page.getByRole('alert').filter({ hasText: 'has version 0.2, which' }).waitFor()
    const archive = zipOf([{ name: 'pluralport.json', bytes: Buffer.from('{}') }])
    await page.getByLabel('Another file').setInputFiles({
      name: 'export.zip',
      mimeType: 'application/zip',
      buffer: Buffer.from(archive),
    })
    await page.getByText('Unpack it, and choose pluralport.json from it.').waitFor()
    await page.getByLabel('Another file').setInputFiles({
      name: 'export.json',
      mimeType: 'application/json',
      buffer: Buffer.from('{"_meta":{"app":"Plural Star"},"frontHistory":[]}'),
    })
    await page.getByText('This file is from Plural Star, which this server can’t read.').waitFor()
    await page.getByLabel('Another file').setInputFiles(join(fixtures, 'pluralport-nasty.json'))
    await page.getByRole('heading', { name: 'A PluralPort file' }).waitFor()
    await page.locator('.tallies').waitFor()
    expect(await tally(page, 'Members').textContent()).toBe('3 new · 3 skipped')
    await page.getByText(/^Stored as archived data \(\d+\)$/).click()
    await page.getByText('1 reaction', { exact: false }).waitFor()
    await expectAccessible(visitor)
    await expectNoHorizontalScroll(visitor)
    await page.getByRole('button', { name: 'Import' }).click()
    await page.getByRole('heading', { name: 'Import finished' }).waitFor()
    const people = await ask<{ name: string }[]>('GET /v2/systems/@me/members')
    expect(people.map(({ name }) => name).toSorted()).toEqual(['Ash', 'Asleep', 'Wren'])
  })

  test('imports only the selected parts', async () => {
    const { visitor, page, ask } = await openEmptySystem()
    await page.goto(`${address}/#/import`)
    await chooseFile(page, 'simplyplural-nasty.json')
    await page.getByText(/^Adjusted \(\d+\)$/).click()
    await page.getByText('only the first six of eight digits were used').waitFor()
    await page.getByText(/^Skipped \(\d+\)$/).waitFor()
    await expectAccessible(visitor, { inDark: true })
    await expectNoHorizontalScroll(visitor)
    for (const name of ['Members', 'Groups', 'Switches', 'Fields']) {
      // A preview that arrives moves the boxes, so a click could miss.
      await page.locator('section.card[aria-busy=true]').waitFor({ state: 'detached' })
      await page.getByLabel(name).click()
      await page.getByRole('checkbox', { name, checked: false }).waitFor()
    }
    await page.getByText('Select at least one.').waitFor()
    const importButton = page.getByRole('button', { name: 'Import' })
    expect(await importButton.getAttribute('aria-disabled')).toBe('true')
    await page.getByLabel('Members').check()
    await tally(page, 'Fields').filter({ hasText: '1 skipped' }).waitFor()
    await tally(page, 'Groups')
      .filter({ hasText: /^\d+ skipped$/ })
      .waitFor()
    await expectAccessible(visitor, { inDark: true })
    await page.locator('main [aria-busy=true]').waitFor({ state: 'detached' })
    await importButton.click()
    await page.getByRole('heading', { name: 'Import finished' }).waitFor()
    expect((await ask<unknown[]>('GET /v2/systems/@me/members')).length).toBeGreaterThan(5)
    expect(await ask<unknown[]>('GET /v2/systems/@me/groups')).toEqual([])
    expect(await ask<unknown[]>('GET /v2/systems/@me/switches')).toEqual([])
    expect(await ask<unknown[]>('GET /ext/v1/systems/@me/fields')).toEqual([])
  })

  test('shows all data of a Simply Plural file on its pages, and imports it only once', async () => {
    const { file, facts } = generateFile({ seed: 6, size: 'small', shape: 'export' })
    const { visitor, page, ask } = await openEmptySystem()
    const counts = {
      Members: facts.members.length + facts.customFronts.length,
      Groups: facts.groups.length,
      'Statuses and comments': facts.statuses.length + facts.comments.length,
      Fields: facts.fields.length,
      'Values of fields': facts.values.length,
      Notes: facts.notes.length,
      Rooms: facts.rooms.length,
      Posts: facts.chat.length + facts.boards.length,
      Polls: facts.polls.length,
      Votes: facts.polls.flatMap(({ votes }) => votes).length,
      Buckets: facts.buckets.length,
    }
    const expectTallies = async (what: string) => {
      for (const [part, count] of Object.entries(counts))
        expect(`${part}: ${await tally(page, part).textContent()}`).toBe(
          `${part}: ${count} ${what}`,
        )
    }
    const choose = async () => {
      await page.goto(`${address}/#/import`)
      await giveFile(page, file)
      await page.locator('.tallies').waitFor()
    }
    await choose()
    await expectTallies('new')
    await expectAccessible(visitor)
    await expectNoHorizontalScroll(visitor)
    await page.getByRole('button', { name: 'Import' }).click()
    await page.getByRole('heading', { name: 'Import finished' }).waitFor()
    await expectTallies('new')
    const links = await page
      .locator('main a:not(.button)')
      .evaluateAll((all) => all.map((one) => [one.textContent, one.getAttribute('href')]))
    expect(Object.fromEntries(links)).toEqual({
      Members: '#/members',
      Groups: '#/groups',
      'Members in groups': '#/groups',
      Switches: '#/history',
      'Statuses and comments': '#/history',
      Fields: '#/fields',
      'Values of fields': '#/fields',
      Notes: '#/notes',
      Rooms: '#/chat',
      Posts: '#/chat',
      Polls: '#/chat',
      Votes: '#/chat',
      Reminders: '#/reminders',
      Buckets: '#/friends',
      'See archived data': '#/archive',
    })
    await expectAccessible(visitor)

    const main = page.locator('main')
    const nameOf = (id: string) => facts.members.find((one) => one.id === id)?.name ?? ''
    const open = async (path: string, title: string) => {
      await page.goto(`${address}/#/${path}`)
      await page.getByRole('heading', { name: title, level: 1 }).waitFor()
      await waitForPage(page)
    }
    const follow = async (link: string, title = link) => {
      await main.getByRole('link', { name: link }).first().click()
      await page.getByRole('heading', { name: title, level: 1 }).waitFor()
      await waitForPage(page)
    }
    await follow('Fields')
    expect(await main.locator('.things .name').allTextContents()).toEqual(
      facts.fields.map(({ name }) => name),
    )

    await open('notes', 'Notes')
    const note = facts.notes.find(({ title }) => title !== null)
    if (!note?.title) throw new Error('the file has no note with a title')
    expect(await main.locator('.things > li').count()).toBe(facts.notes.length)
    await follow(note.title)
    expect(await main.textContent()).toContain(note.text.slice(0, 200))
    await main.getByText(nameOf(note.member)).first().waitFor()

    await open('chat', 'Chat')
    const [room] = facts.rooms
    const [poll] = facts.polls
    const unread = facts.boards.find(({ read }) => !read)
    if (!room || !poll || !unread) throw new Error('the file has no room, poll or unread message')
    for (const { name } of [...facts.rooms, ...facts.polls]) await main.getByText(name).waitFor()
    await main.getByRole('heading', { name: room.category ?? '' }).waitFor()
    await follow(room.name)
    await main
      .locator('article')
      .nth(room.posts - 1)
      .waitFor()
    const posts = await main
      .locator('article')
      .evaluateAll((all) =>
        all.map((one) =>
          ['header .name', ':scope > [dir=auto]'].map((part) =>
            one.querySelector(part)?.textContent?.trim(),
          ),
        ),
      )
    expect(posts.toSorted()).toEqual(
      facts.chat
        .filter((post) => post.room === room.id)
        .map(({ by, text }) => [nameOf(by), text])
        .toSorted(),
    )

    await open('chat', 'Chat')
    await main
      .locator('.members li', { hasText: nameOf(unread.for) })
      .getByText('1 new')
      .waitFor()
    await main.getByRole('link', { name: nameOf(unread.for) }).click()
    await main.locator('article', { hasText: unread.title }).getByText(nameOf(unread.by)).waitFor()

    await open('chat', 'Chat')
    await follow(poll.name)
    for (const { member, option } of poll.votes)
      await main
        .locator('.things > li', { has: page.getByText(option, { exact: true }) })
        .getByText(nameOf(member))
        .waitFor()

    const [comment] = facts.comments
    const [status] = facts.statuses
    if (!comment || !status) throw new Error('the file has no comment or status')
    for (const { at, text } of [comment, status]) {
      await page.goto(`${address}/#/history/day?date=${dayOf(at, facts.system.timezone)}`)
      await main.getByText(text).first().waitFor()
    }

    const [wren] = await ask<{ id: string; name: string }[]>('GET /v2/systems/@me/members')
    await open(`members/${wren?.id}`, 'Wren')
    // The list has its beginning only.
    const about = await until(
      async () => (await main.textContent()) ?? '',
      (text) => text.split('A long text.').length === 201,
    )
    const own = facts.values.filter(({ member }) => nameOf(member) === 'Wren')
    const texts = facts.fields.filter(({ type }) => type === 'text').map(({ id }) => id)
    for (const { field, value } of own) if (texts.includes(field)) expect(about).toContain(value)
    expect(await main.locator('.facts').first().locator('dt').allTextContents()).toEqual(
      facts.fields
        .filter(({ id }) => own.some(({ field }) => field === id))
        .map(({ name }) => name),
    )

    await open('members', 'Members')
    await main.getByRole('button', { name: 'Custom fronts' }).click()
    for (const { name } of facts.customFronts) await main.getByRole('link', { name }).waitFor()
    const before = await ask('GET /v2/systems/@me/export')

    await choose()
    await page.getByText('Everything in this file is here already.').waitFor()
    await expectTallies('unchanged')
    await page.getByRole('button', { name: 'Import' }).click()
    await page
      .getByText('Everything in this file was here already. Nothing changed.')
      .first()
      .waitFor()
    await expectTallies('unchanged')
    expect(withoutExportTime(await ask('GET /v2/systems/@me/export'))).toEqual(
      withoutExportTime(before),
    )
  })

  test('makes members public that friends could see only when asked to', async () => {
    const { page, ask } = await openEmptySystem()
    await page.goto(`${address}/#/import`)
    await chooseFile(page, 'simplyplural.json')
    await page.getByLabel('What all friends could see becomes public').check()
    await page.getByText('arrives private').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Import' }).click()
    await page.getByRole('heading', { name: 'Import finished' }).waitFor()
    const people = await ask<{ name: string; privacy: { visibility: string } }[]>(
      'GET /v2/systems/@me/members',
    )
    const levels = people.map(({ name, privacy }) => [name, privacy.visibility])
    expect(Object.fromEntries(levels)).toMatchObject({ Wren: 'public', Ash: 'private' })
  })

  test('the report says what came in before what was only stored', async () => {
    const { page } = await openEmptySystem()
    await page.goto(`${address}/#/import`)
    await chooseFile(page, 'simplyplural.json')
    await page.locator('main [aria-busy=true]').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Import' }).click()
    await page.getByRole('heading', { name: 'Import finished' }).waitFor()
    const text = (await page.locator('main').textContent()) ?? ''
    const places = ['3 new', 'arrives private', 'Stored as archived data'].map((part) =>
      text.indexOf(part),
    )
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((one, other) => one - other))
  })

  test('waits for a place before it sends the file, and sends it once', async () => {
    const { page } = await visit(browser, size)
    const createSystem = async () => {
      const body = { name: '', visibility: 'private' }
      return (await openServer.ask<{ token: string }>('POST /web/systems', body)).token
    }
    await logIn(page, openServer, await createSystem())
    await page.getByRole('heading', { name: 'No members yet.' }).waitFor()
    const uploads: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/import?')) uploads.push(request.method())
    })
    await page.goto(`${openServer.server.address}/#/import`)
    const field = page.getByLabel('Choose a file')
    await field.waitFor({ state: 'attached' })
    const others = await Promise.all(Array.from({ length: PLACES }, createSystem))
    // Reserved last, because the server keeps a place for a limited time.
    for (const token of others) await openServer.ask('POST /web/import-place', undefined, token)
    await field.setInputFiles(join(fixtures, 'simplyplural.json'))
    await page.getByText('Waiting until the server has room for the file').waitFor()
    expect(uploads).toEqual([])

    // Another system sends its file, which frees a place.
    await openServer.ask('POST /v2/systems/@me/import', {}, others[0]).catch(() => {})
    await page.locator('.tallies').waitFor()
    expect(uploads).toEqual(['POST'])
  })

  test('says how much of a file found no room', async () => {
    const { token } = await smallServer.operate<{ token: string }>(
      'system',
      'create',
      '--name',
      'New',
    )
    const visitor = await visit(browser, size)
    const { page } = visitor
    await logIn(page, smallServer, token)
    await page.getByRole('heading', { name: 'No members yet.' }).waitFor()
    await page.goto(`${smallServer.server.address}/#/import`)
    const { file } = generateFile({ seed: 6, size: 'small', shape: 'export' })
    await giveFile(page, file)
    const text = /^There’s no room left for \d+ of these/
    await page.getByText(text).waitFor()
    await page.getByText(/^Skipped \(\d+\)$/).click()
    await page.locator('details[open]').getByText('no space is left for text').first().waitFor()
    await page.locator('main [aria-busy=true]').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Import' }).click()
    await page.getByRole('heading', { name: 'Import finished' }).waitFor()
    await page.getByText(text).waitFor()
    await expectAccessible(visitor)
  })

  test('offers no other file and no choice while an import runs', async () => {
    const { page } = await openEmptySystem()
    await page.goto(`${address}/#/import`)
    await chooseFile(page, 'simplyplural.json')
    await page.locator('main [aria-busy=true]').waitFor({ state: 'detached' })
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/v2/systems/@me/import*', async (route) => {
      await released
      await route.continue()
    })
    await page.getByRole('button', { name: 'Import' }).click()
    await page.getByText('Importing…').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'detached' })
    expect(await page.locator('input[type=file]').count()).toBe(0)
    expect(await page.getByRole('checkbox', { name: 'Members' }).isDisabled()).toBe(true)
    release()
    await page.getByRole('heading', { name: 'Import finished' }).waitFor()
  })

  test('says that a file of a newer release needs an update of the server', async () => {
    const { page } = await openEmptySystem()
    await page.goto(`${address}/#/import`)
    const system = JSON.parse(readFileSync(join(fixtures, 'pluralkit.json'), 'utf8'))
    await giveFile(page, { ...system, multitude: { ext: { version: 2 } } })
    await page.getByRole('alert').filter({ hasText: 'from a newer Multitude' }).waitFor()
  })

  test('explains that a file has no known format, and accepts another one', async () => {
    const { visitor, page, ask } = await openEmptySystem()
    await page.goto(`${address}/#/import`)
    const other = { name: 'shopping.txt', mimeType: 'text/plain', buffer: Buffer.from('milk') }
    await page.getByLabel('Choose a file').setInputFiles(other)
    await page.getByRole('alert').filter({ hasText: 'We can’t read this file.' }).waitFor()
    expect(await page.getByText('Bad Request').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Import' }).count()).toBe(0)
    await expectAccessible(visitor)
    await page.getByLabel('Another file').setInputFiles(join(fixtures, 'tupperbox.json'))
    await page.getByRole('heading', { name: 'A Tupperbox file' }).waitFor()
    expect(
      await page.getByRole('alert').filter({ hasText: 'We can’t read this file.' }).count(),
    ).toBe(0)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByLabel('Choose a file').waitFor({ state: 'attached' })
    expect(await ask<unknown[]>('GET /v2/systems/@me/members')).toEqual([])
  })

  test('previews a file that is dropped anywhere on the page, as soon as it is shown', async () => {
    const { page } = await openEmptySystem()
    const text = readFileSync(join(fixtures, 'pluralkit.json'), 'utf8')
    await page.evaluate(`(() => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([${JSON.stringify(text)}], 'system.json'))
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () =>
        document.querySelector('h1').dispatchEvent(
          new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }),
        )
      new MutationObserver((_, observer) => {
        if (!document.querySelector('input[type=file]')) return
        observer.disconnect()
        // The next event after the form is shown.
        port2.postMessage(null)
      }).observe(document.body, { childList: true, subtree: true })
      location.hash = '#/import'
    })()`)
    await page.getByRole('heading', { name: 'A PluralKit file' }).waitFor()
    await page.getByText(/^system\.json, \d+ KB$/).waitFor()
  })

  test('keeps the file when the session ends, and drops it on logout', async () => {
    await system.setSwitches([5, 'Wren'])
    const visitor = await openNow()
    const { page } = visitor
    await page.goto(`${address}/#/import`)
    await chooseFile(page, 'pluralkit.json')
    await page.getByRole('heading', { name: 'A PluralKit file' }).waitFor()
    await system.ask('DELETE /web/sessions')
    await page.getByLabel('Token').fill(system.token)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'A PluralKit file' }).waitFor()
    await page.getByRole('link', { name: 'More' }).click()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByLabel('Token').fill(system.token)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('link', { name: 'More' }).click()
    await page.getByRole('link', { name: /^Import and export/ }).click()
    await page.getByLabel('Choose a file').waitFor({ state: 'attached' })
  })

  test('disables import and export while the server is unreachable', async () => {
    const visitor = await openNow()
    const { page, context } = visitor
    await page.goto(`${address}/#/import`)
    await chooseFile(page, 'pluralkit.json')
    await disconnect(page)
    for (const name of ['Import', 'JSON', 'PluralPort', 'CSV', 'Calendar'])
      expect(
        await page.getByRole('button', { name, exact: true }).getAttribute('aria-disabled'),
      ).toBe('true')
    await expectAccessible(visitor)
    await restoreNetwork(context)
    await page.getByText('You’re offline.').waitFor({ state: 'detached' })
    await page.locator('button.main[aria-disabled=false]', { hasText: 'Import' }).waitFor()
  })

  test.each([
    ['JSON', 'system.json', []],
    ['PluralPort', 'pluralport.json', ['--format', 'pluralport']],
    ['CSV', 'front-history.csv', ['--front-history', 'csv']],
    ['Calendar', 'front-history.ics', ['--front-history', 'ics']],
  ])('the %s download equals the file written by the command line', async (name, file, args) => {
    await system.setSwitches([50, 'Wren'], [30, 'Wren', 'Iris'], [20])
    const { page } = await openNow()
    await page.goto(`${address}/#/import`)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name, exact: true }).click(),
    ])
    expect(download.suggestedFilename()).toBe(file)
    await announced(page, `${file} is in your downloads.`)
    const downloaded = readFileSync(await download.path(), 'utf8')
    const out = join(emptyFolder(), file)
    await testServer.run('export', system.hid, '--out', out, ...args)
    const written = readFileSync(out, 'utf8')
    expect(withoutTimestamps(downloaded)).toBe(withoutTimestamps(written))
    expect(downloaded).toContain('Wren')
  })

  test('uses another word for members on the import page', async () => {
    await system.ask('PATCH /web/preferences', { word: 'headmates' })
    try {
      const { page } = await openNow()
      await page.goto(`${address}/#/import`)
      await chooseFile(page, 'pluralkit.json')
      await tally(page, 'Headmates').waitFor()
      await page.getByLabel('Headmates').waitFor()
      expect(
        await page
          .locator('main')
          .getByText(/members/i)
          .count(),
      ).toBe(0)
      await announced(page, 'Headmates')
    } finally {
      await system.ask('PATCH /web/preferences', { word: 'members' })
    }
  })
})

/** Returns the date of a time, in milliseconds, in a time zone. */
function dayOf(at: number, timeZone: string): string {
  return new Date(at).toLocaleDateString('sv', { timeZone })
}

function withoutExportTime(file: unknown): unknown {
  const { multitude, ...rest } = file as { multitude: object }
  return { ...rest, multitude: { ...multitude, exported_at: null } }
}

/** Removes the export time, the only difference between two exports. */
function withoutTimestamps(file: string): string {
  return file
    .replace(/"exported_at":"[^"]+"/, '')
    .replace(/DTSTAMP:\w+/g, '')
    .trimEnd()
}
