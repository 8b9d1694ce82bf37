import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { emptyFolder } from '../serverProcess'
import { expect, test } from '../test'
import {
  disconnect,
  expectAccessible,
  expectLargeTargets,
  expectNoHorizontalScroll,
  startBrowser,
  startTestServer,
  visit,
} from './browser'
import { describeDashboard, logIn } from './testSystem'

const browser = await startBrowser()
const testServer = await startTestServer('Somebody else')
const { address } = testServer.server
const openServer = await startTestServer('Somebody else', ['--web-registration', 'open'])
/** Systems whose files the server receives at the same time. */
const PLACES = 8
const fixtures = join(import.meta.dir, '../formats/fixtures')

describeDashboard(browser, testServer, ({ size, system, openNow }) => {
  /** Creates an empty system and logs in. */
  const openEmptySystem = async (scheme: 'light' | 'dark' = 'light') => {
    const { token } = await testServer.operate<{ token: string }>(
      'system',
      'create',
      '--name',
      'New',
    )
    const visitor = await visit(browser, size, scheme)
    await logIn(visitor.page, testServer, token)
    await visitor.page.getByRole('heading', { name: 'No members yet.' }).waitFor()
    const ask = <T>(line: string) => testServer.ask<T>(line, undefined, token)
    return { visitor, page: visitor.page, ask }
  }
  const chooseFile = async (page: Page, name: string) => {
    await page.getByLabel('Choose a file').setInputFiles(join(fixtures, name))
    await page.locator('.tallies').waitFor()
  }
  const announced = (page: Page, text: string) =>
    page.locator('#said').filter({ hasText: text }).waitFor({ state: 'attached' })
  const tally = (page: Page, part: string) =>
    page.locator('.tallies div', { has: page.getByText(part, { exact: true }) }).locator('dd')

  test('previews a Simply Plural file, imports it, and changes nothing the second time', async () => {
    const { visitor, page, ask } = await openEmptySystem()
    await expectAccessible(visitor)
    await expectNoHorizontalScroll(visitor)
    await page
      .getByRole('link', { name: 'Import from PluralKit, Tupperbox or Simply Plural' })
      .click()
    await page.getByRole('heading', { name: 'Import and export', level: 1 }).waitFor()
    expect(await page.title()).toContain('Import and export')
    await expectAccessible(visitor)
    await chooseFile(page, 'simplyplural.json')
    await page.getByRole('heading', { name: 'A Simply Plural file' }).waitFor()
    await page.getByText('Preview').waitFor()
    await page.getByText('arrives private').waitFor()
    expect(await tally(page, 'Members').textContent()).toBe('3 new')
    expect(await tally(page, 'Switches').textContent()).toBe('5 new')
    await page.getByText(/^Stored, not shown yet \(\d+\)$/).click()
    await page.getByText('1 poll').waitFor()
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
    await page.getByRole('list', { name: 'Statuses' }).getByText('Asleep').waitFor()
    const before = await ask('GET /v2/systems/@me/export')

    await page.goto(`${address}/#/import`)
    await chooseFile(page, 'simplyplural.json')
    await page.getByText('Everything in this file is here already.').waitFor()
    await page.getByRole('button', { name: 'Import' }).click()
    await page.getByText('Nothing changed.').first().waitFor()
    const after = await ask('GET /v2/systems/@me/export')
    expect(withoutExportTime(after)).toEqual(withoutExportTime(before))
  })

  test.each(['light', 'dark'] as const)(
    'imports only the selected parts, in %s mode',
    async (scheme) => {
      const { visitor, page, ask } = await openEmptySystem(scheme)
      await page.goto(`${address}/#/import`)
      await chooseFile(page, 'simplyplural-nasty.json')
      await page.getByText(/^Adjusted \(\d+\)$/).click()
      await page.getByText('only the first six of eight digits were used').waitFor()
      await page.getByText(/^Skipped \(\d+\)$/).waitFor()
      await expectAccessible(visitor)
      await expectNoHorizontalScroll(visitor)
      for (const name of ['Members', 'Groups', 'Switches']) {
        await page.getByLabel(name).click()
        await page.getByRole('checkbox', { name, checked: false }).waitFor()
      }
      await page.getByText('Select at least one.').waitFor()
      const importButton = page.getByRole('button', { name: 'Import' })
      expect(await importButton.getAttribute('aria-disabled')).toBe('true')
      await page.getByLabel('Members').check()
      await tally(page, 'Groups')
        .filter({ hasText: /^\d+ skipped$/ })
        .waitFor()
      await expectAccessible(visitor)
      await page.locator('main [aria-busy=true]').waitFor({ state: 'detached' })
      await importButton.click()
      await page.getByRole('heading', { name: 'Import finished' }).waitFor()
      expect((await ask<unknown[]>('GET /v2/systems/@me/members')).length).toBeGreaterThan(5)
      expect(await ask<unknown[]>('GET /v2/systems/@me/groups')).toEqual([])
      expect(await ask<unknown[]>('GET /v2/systems/@me/switches')).toEqual([])
    },
  )

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
    const places = ['3 new', 'arrives private', 'Stored, not shown yet'].map((part) =>
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
    const others = await Promise.all(Array.from({ length: PLACES }, createSystem))
    for (const token of others) await openServer.ask('POST /web/import-place', undefined, token)
    const uploads: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/import?')) uploads.push(request.method())
    })
    await page.goto(`${openServer.server.address}/#/import`)
    const file = join(fixtures, 'simplyplural.json')
    await page.getByLabel('Choose a file').setInputFiles(file)
    await page.getByText('Waiting until the server has room for the file').waitFor()
    expect(uploads).toEqual([])

    // Another system sends its file, which frees a place.
    await openServer.ask('POST /v2/systems/@me/import', {}, others[0]).catch(() => {})
    await page.locator('.tallies').waitFor()
    expect(uploads).toEqual(['POST'])
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

  test('previews a file that is dropped anywhere on the page', async () => {
    const { page } = await openEmptySystem()
    await page.goto(`${address}/#/import`)
    await page.getByLabel('Choose a file').waitFor({ state: 'attached' })
    const text = readFileSync(join(fixtures, 'pluralkit.json'), 'utf8')
    await page.evaluate(`(() => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([${JSON.stringify(text)}], 'system.json'))
      document.querySelector('h1').dispatchEvent(
        new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }),
      )
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
    for (const name of ['Import', 'JSON', 'CSV', 'Calendar'])
      expect(
        await page.getByRole('button', { name, exact: true }).getAttribute('aria-disabled'),
      ).toBe('true')
    await expectAccessible(visitor)
    await context.setOffline(false)
    await page.getByText('You’re offline.').waitFor({ state: 'detached' })
    await page.locator('button.main[aria-disabled=false]', { hasText: 'Import' }).waitFor()
  })

  test.each([
    ['JSON', 'system.json', []],
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
