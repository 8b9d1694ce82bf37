import { expect, test } from '../tools/test'
import { until } from '../tools/until'
import { archivedRows, archiveRows, deleteArchived } from './tools/archivedRows'
import {
  disconnect,
  expectAccessible,
  expectLargeTargets,
  expectNoHorizontalScroll,
  restoreNetwork,
  startBrowser,
} from './tools/browser'
import { shareTestServer } from './tools/testServer'
import { describeDashboard, openPage, seedSystem } from './tools/testSystem'

const browser = await startBrowser()
const testServer = await shareTestServer()

describeDashboard(browser, testServer, async ({ size, system, openNow, openPath }) => {
  await system.setSwitches([5, 'Wren'])
  await archiveRows(system)
  const listNotes = (of = system) => of.ask<{ title: string }[]>('GET /ext/v1/systems/@me/notes')
  const listCollections = async (of = system) => {
    const all = await of.ask<{ collection: string }[]>('GET /ext/v1/systems/@me/archive')
    return all.map(({ collection }) => collection)
  }

  test('opens the rows of a collection from More, as keys and values', async () => {
    const visitor = await openPath('more')
    const { page } = visitor
    await page.getByRole('link', { name: /^Archived data/ }).click()
    await page.getByRole('heading', { name: 'Archived data', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'Details of 3 members' }).waitFor()
    await expectAccessible(visitor)
    await expectLargeTargets(visitor)
    await page.getByRole('link', { name: '1 friend' }).click()
    await page.getByRole('heading', { name: '1 friend' }).waitFor()
    await page.getByText('Sees who is here').waitFor()
    const shown = await page.locator('dl.facts > div').allInnerTexts()
    expect(shown.map((text) => text.replace(/\n+/g, ' '))).toEqual([
      'Friend Sam',
      'Sees profiles Yes',
      'Sees who is here No',
      'Privacy buckets b1 b2',
      'ID z1',
    ])
    await page.getByRole('link', { name: 'Back to Archived data' }).click()
    await page.getByRole('link', { name: '3 notes' }).click()
    await page
      .getByText(/14 May 2024|May 14, 2024/)
      .first()
      .waitFor()
  })

  test.each(['archive', 'archive/rows/polls', 'archive/convert'])(
    'the page "%s" is accessible in light and dark mode',
    async (path) => {
      const visitor = await openPath(path)
      for (const fold of await visitor.page.locator('summary').all()) await fold.click()
      await expectAccessible(visitor, { inDark: true })
      await expectLargeTargets(visitor)
      await expectNoHorizontalScroll(visitor)
    },
  )

  test('offers the conversion on Now until it is answered, without a request of its own', async () => {
    const requested: string[] = []
    const visitor = await openNow('dark')
    const { page } = visitor
    const offer = page.getByText(
      '3 notes, 1 custom field, 1 poll and 3 others are stored from your import.',
    )
    await offer.waitFor()
    await expectAccessible(visitor)
    await expectLargeTargets(visitor)
    await expectNoHorizontalScroll(visitor)
    page.on('request', (request) => requested.push(request.url()))
    await page.reload()
    await offer.waitFor()
    expect(requested.filter((url) => /\/archive(\/|\?|$)/.test(url))).toEqual([])
    await page.getByRole('button', { name: 'Not now' }).click()
    await offer.waitFor({ state: 'detached' })
    expect(await page.evaluate('document.activeElement.localName')).toBe('h1')
    await page.reload()
    await page.getByRole('heading', { name: 'Today and yesterday' }).waitFor()
    await page.getByText('Live', { exact: true }).first().waitFor({ state: 'attached' })
    expect(await offer.count()).toBe(0)
    await page.getByRole('link', { name: 'More', exact: true }).click()
    await page.getByRole('heading', { name: 'More', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByLabel('Token').waitFor()
    expect(await page.evaluate('JSON.stringify({ ...localStorage })')).not.toContain('notes')
  })

  test('converts from the offer: shows a preview first, then what became of the rows', async () => {
    const own = await seedSystem(testServer, 'Lantern Hill')
    await own.setSwitches([5, 'Wren'])
    await archiveRows(own)
    const asleep = await own.ask<{ member: { id: string } }>('POST /ext/v1/members', {
      member: { name: 'Asleep' },
      kind: 'custom_front',
    })
    for (const [name, member] of [
      ['Custom fronts', asleep.member.id],
      ['Archived', own.idOf('Ember')],
    ]) {
      const group = await own.ask<{ id: string }>('POST /v2/groups', { name })
      await own.ask(`POST /v2/groups/${group.id}/members/add`, [member])
    }
    const visitor = await openPage(browser, testServer, own, 'more', size)
    const { page } = visitor
    await page.getByRole('link', { name: 'Now', exact: true }).click()
    await page.getByRole('button', { name: 'Convert now' }).click()
    await page.getByRole('heading', { name: 'Convert archived data' }).waitFor()
    const rows = page.locator('.tallies > div')
    await rows.first().waitFor()
    const tallies = async () =>
      (await rows.allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))
    const expected = [
      'Members 1 changed',
      'Fields 1 new',
      'Values of fields 1 new',
      'Notes 2 new · 1 skipped',
      'Polls 1 new',
      'Votes 1 new',
    ]
    expect(await tallies()).toEqual(expected)
    expect(await listNotes(own)).toEqual([])
    await page.getByText('Stays archived for now (2)').click()
    await page.getByText('Sable: nobody here matches, or more than one does · 2 rows').waitFor()
    await page.getByRole('button', { name: 'Convert now' }).click()
    await page.getByRole('heading', { name: 'Conversion finished' }).waitFor()
    expect(await tallies()).toEqual(expected)
    expect((await listNotes(own)).map(({ title }) => title).sort()).toEqual(['Oil', 'Wick'])
    await expectAccessible(visitor)

    const old = page.getByRole('region', { name: 'Groups you may not need any more' })
    const custom = old.getByRole('listitem').filter({ hasText: 'Custom fronts' })
    await old.getByRole('link', { name: 'Archived' }).waitFor()
    await custom.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await custom.waitFor({ state: 'detached' })
    const groups = await own.ask<{ name: string }[]>('GET /v2/systems/@me/groups')
    expect(groups.map(({ name }) => name)).toEqual(['Archived'])
    expect((await own.ask<object[]>('GET /v2/systems/@me/members')).length).toBe(8)

    // What could not be converted is not offered again.
    await page.getByRole('link', { name: 'Notes', exact: true }).click()
    await page.getByText('Wick').waitFor()
    await page.getByRole('link', { name: 'Now', exact: true }).click()
    await page.getByRole('heading', { name: 'Today and yesterday' }).waitFor()
    expect(await page.getByRole('button', { name: 'Convert now' }).count()).toBe(0)
  })

  test('shows more rows on request, and long texts', async () => {
    const own = await seedSystem(testServer, 'Lantern Hill')
    await own.setSwitches([5, 'Wren'])
    const many = Array.from({ length: 45 }, (_, at) => ({
      _id: `f${at}`,
      frienduid: `Friend ${at}.`,
    }))
    const text = `${'Keeps the lamps.\n'.repeat(100)}The end.`
    await archiveRows(own, {
      friends: many,
      odd: [{ text, nested: { a: [{ b: { c: 1 } }] } }, 'x'],
    })
    const { page } = await openPage(browser, testServer, own, 'archive/rows/friends', size)
    const rows = page.locator('main .things > li')
    expect(await rows.count()).toBe(20)
    for (const count of [40, 45]) {
      await page.getByRole('button', { name: 'Show more' }).click()
      await until(async () => (await rows.count()) === count)
      expect(await rows.count()).toBe(count)
    }
    await page.getByText('Friend 44.').waitFor()
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0)
    await page.goto(`${testServer.server.address}/#/archive/rows/odd`)
    await page.getByRole('heading', { name: 'Odd: 2' }).waitFor()
    await page.getByText('{"c":1}').waitFor()
    expect(await page.getByText('The end.').count()).toBe(0)
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByText('The end.').waitFor()
  })

  test('asks before it deletes a collection, and leaves More when the last one is deleted', async () => {
    const own = await seedSystem(testServer, 'Lantern Hill')
    await own.setSwitches([5, 'Wren'])
    const { friends, notes } = archivedRows
    await archiveRows(own, { friends, notes })
    const visitor = await openPage(browser, testServer, own, 'archive', size)
    const { page } = visitor
    for (const name of ['1 friend', '3 notes']) {
      await page.getByRole('link', { name }).click()
      await page.getByRole('heading', { name }).waitFor()
      await page.getByRole('button', { name: 'Delete' }).click()
      const sheet = page.getByRole('dialog')
      await sheet.getByText('They won’t be in your exports any more.').waitFor()
      await expectAccessible(visitor)
      await sheet.getByRole('button', { name: 'Cancel' }).click()
      expect(await listCollections(own)).toContain(name === '1 friend' ? 'friends' : 'notes')
      await page.getByRole('button', { name: 'Delete' }).click()
      await sheet.getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('heading', { name: 'Archived data', level: 1 }).waitFor()
      await page.getByText(`${name}: deleted.`).first().waitFor()
    }
    await page.getByText('There’s no archived data.').waitFor()
    expect(await listCollections(own)).toEqual([])
    await page.getByRole('link', { name: 'More', exact: true }).click()
    await page.getByRole('link', { name: /^Import and export/ }).waitFor()
    // It is there until the event of the deletion was handled.
    await page.getByRole('link', { name: /^Archived data/ }).waitFor({ state: 'detached' })
  })

  test('follows a deletion on another device', async () => {
    const own = await seedSystem(testServer, 'Lantern Hill')
    await own.setSwitches([5, 'Wren'])
    await archiveRows(own)
    const { page } = await openPage(browser, testServer, own, 'archive/rows/friends', size)
    await page.getByText('Sam').waitFor()
    await deleteArchived(own)
    await page.getByText('There’s nothing here any more.').waitFor()
  })

  test.each([
    [409, 'Something else is being imported or changed right now. Try again in a moment.'],
    [500, 'Something went wrong on the server. Try again.'],
  ])('says what to do when the conversion gets %d, and tries again', async (status, text) => {
    const { page } = await openPath('archive')
    const refuse = (query: string) =>
      page.route(`**/archive/convert${query}`, (route) =>
        route.fulfill({ status, json: { message: 'a file is being imported', code: 0 } }),
      )
    await refuse('?dry_run=true')
    await page.getByRole('button', { name: 'Convert now' }).click()
    await page.getByText(text).waitFor()
    await page.unroute('**/archive/convert?dry_run=true')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Notes', { exact: true }).waitFor()
    await refuse('')
    await page.getByRole('button', { name: 'Convert now' }).click()
    await page.getByText(text).waitFor()
    expect(await listNotes()).toEqual([])
  })

  test('waits while the server is busy, and until it is reachable', async () => {
    const { page } = await openPath('archive')
    const answers = [429, 200]
    await page.route('**/archive/convert?dry_run=true', (route) =>
      answers.shift() === 429
        ? route.fulfill({ status: 429, json: { message: 'busy', retry_after: 10, code: 0 } })
        : route.continue(),
    )
    await page.getByRole('button', { name: 'Convert now' }).click()
    await page.getByText('Notes', { exact: true }).waitFor()
    expect(answers).toEqual([])
    await disconnect(page)
    const button = page.getByRole('button', { name: 'Convert now' })
    expect(await button.getAttribute('aria-disabled')).toBe('true')
    await button.click({ force: true })
    await restoreNetwork(page.context())
    await until(async () => (await button.getAttribute('aria-disabled')) === 'false')
    expect(await button.getAttribute('aria-disabled')).toBe('false')
    expect(await listNotes()).toEqual([])
  })
})
