import { expect, test } from '../tools/test'
import { startBrowser } from './tools/browser'
import { shareTestServer } from './tools/testServer'
import { describeDashboard } from './tools/testSystem'

/** The installed app, the printed page, and initials in avatars. */
const browser = await startBrowser()
const testServer = await shareTestServer()
const { address } = testServer.server

interface Manifest {
  icons: { src: string; sizes: string; purpose?: string }[]
  shortcuts: { name: string; url: string }[]
}

describeDashboard(browser, testServer, ({ system, openNow }) => {
  test.each([
    ['app.webmanifest', 'Switch'],
    ['app.de.webmanifest', 'Wechseln'],
  ])('%s has large and maskable icons and a shortcut to switching', async (name, title) => {
    await system.setSwitches([5, 'Wren'])
    const manifest = (await (await fetch(`${address}/${name}`)).json()) as Manifest
    const large = manifest.icons.filter(({ sizes }) => sizes === '512x512')
    expect(large.map(({ purpose }) => purpose)).toEqual([undefined, 'maskable'])
    for (const { src } of large) {
      const icon = await fetch(`${address}/${src}`)
      expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/png'])
      const bytes = new DataView(await icon.arrayBuffer())
      expect([bytes.getUint32(16), bytes.getUint32(20)]).toEqual([512, 512])
    }
    const [shortcut] = manifest.shortcuts
    expect(shortcut?.name).toBe(title)
    const { page } = await openNow()
    const again = await page.context().newPage()
    await again.goto(new URL(shortcut?.url ?? '', `${address}/`).href)
    await again.locator('main input:focus').waitFor()
  })

  test('an avatar shows the first character as people see it', async () => {
    await system.setSwitches([5, 'Wren'])
    const names = ['👩‍👩‍👧 Trio', '🏳️‍🌈 Iris', 'e\u0301lan']
    for (const name of names) await system.ask('POST /v2/members', { name })
    const { page } = await openNow()
    await page.goto(`${address}/#/members`)
    await page.getByText('🏳️‍🌈 Iris').first().waitFor()
    const letters = await page.locator('main .letter').allTextContents()
    for (const letter of ['👩‍👩‍👧', '🏳️‍🌈', 'E\u0301']) expect(letters).toContain(letter)
    const all = await system.ask<{ id: string; name: string }[]>('GET /v2/systems/@me/members')
    for (const { id, name } of all)
      if (names.includes(name)) await system.ask(`DELETE /v2/members/${id}`)
  })

  test.each(['history/month', 'insights'])('%s of a month is printed on one page', async (path) => {
    await system.setSwitches(
      ...Array.from({ length: 60 }, (_, at): [number, string] => [
        (60 - at) * 11,
        ['Wren', 'Iris', 'Moss', 'Juno', 'Atlas', 'Ember', 'Jün'][at % 7] ?? '',
      ]),
    )
    const { page } = await openNow('dark')
    await page.goto(`${address}/#/${path}`)
    if (path === 'insights') await page.getByRole('button', { name: '30 days' }).click()
    await page.locator('.cell bdi, .bars').first().waitFor()
    await page.locator('.insights[aria-busy=true]').waitFor({ state: 'detached' })
    const pdf = (await page.pdf({ format: 'A4', printBackground: true })).toString('latin1')
    expect(pdf.match(/\/Type\s*\/Page\b/g)?.length).toBe(1)
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    expect(await page.getByRole('navigation').count()).toBe(0)
    expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(0, 0, 0)')
  })
})
