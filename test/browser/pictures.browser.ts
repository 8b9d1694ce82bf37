import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import type { Locator, Page } from 'playwright-core'
import { zipOf } from '../dashboard/zipFiles'
import { bytesOf } from '../tools/pictures'
import { expect, test } from '../tools/test'
import { until } from '../tools/until'
import {
  expectAccessible,
  expectLargeTargets,
  expectNoHorizontalScroll,
  startBrowser,
  visit,
} from './tools/browser'
import { freePort, shareTestServer, startTestServer } from './tools/testServer'
import { describeDashboard, logIn } from './tools/testSystem'

const browser = await startBrowser()
/** Pictures have addresses, so their server needs one before it starts. */
const port = freePort()
const address = `http://127.0.0.1:${port}`
const testServer = await startTestServer('Somebody else', ['--port', String(port)], {
  PUBLIC_URL: address,
})
const withoutUrl = await shareTestServer()
const fixtures = join(import.meta.dir, '../formats/fixtures')

/** Writes a PNG whose left half has one colour and whose right half has another. */
function pngOf(width: number, height: number, left: number[], right: number[]): Buffer {
  const row = Buffer.from([
    0,
    ...Array.from({ length: width }, (_, x) => (x < width / 2 ? left : right)).flat(),
  ])
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  return pngWith(header, deflateSync(Buffer.concat(Array.from({ length: height }, () => row))))
}

function pngWith(header: Buffer, data: Buffer): Buffer {
  const chunk = (type: string, content: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), content])
    const frame = Buffer.alloc(8)
    frame.writeUInt32BE(content.length, 0)
    frame.writeUInt32BE(crc32(body), 4)
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
  }
  const magic = Buffer.from(bytesOf('\x89PNG\r\n\x1a\n'))
  return Buffer.concat([
    magic,
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const RED = [200, 30, 30]
const BLUE = [30, 30, 200]
const wide = pngOf(80, 40, RED, BLUE)

const huge = Buffer.alloc(13)
huge.writeUInt32BE(30_000, 0)
huge.writeUInt32BE(30_000, 4)
huge.set([8, 2, 0, 0, 0], 8)

const file = (name: string, buffer: Buffer, mimeType = 'image/png') => ({ name, buffer, mimeType })

/** Reads a picture from the server and returns its type, size and the colour of its left edge. */
async function readPicture(page: Page, url: string) {
  return page.evaluate(`(async () => {
    const blob = await (await fetch(${JSON.stringify(url)})).blob()
    const bitmap = await createImageBitmap(blob)
    const canvas = document.createElement('canvas')
    canvas.width = bitmap.width
    canvas.height = bitmap.height
    const context = canvas.getContext('2d')
    context.drawImage(bitmap, 0, 0)
    const [red, , blue] = context.getImageData(2, bitmap.height / 2, 1, 1).data
    return {
      type: blob.type,
      sides: [bitmap.width, bitmap.height],
      leftIs: red > blue ? 'red' : 'blue',
    }
  })()`)
}

describeDashboard(browser, testServer, ({ size, system, openPath }) => {
  const wren = () => system.idOf('Wren')
  const avatarOf = async (path = `/v2/members/${wren()}`) =>
    (await system.ask<{ avatar_url: string | null }>(`GET ${path}`)).avatar_url
  /** Goes back by the keyboard, because a notice may be above the link. */
  const goBack = (page: Page) => page.getByRole('link', { name: 'Back to Wren' }).press('Enter')

  const openPictures = async () => {
    const visitor = await openPath(`members/${wren()}/edit`)
    await visitor.page.locator('summary', { hasText: 'Pictures' }).click()
    await visitor.page.getByLabel('Choose a picture').waitFor({ state: 'attached' })
    return visitor
  }

  test('crops and saves a picture in light and dark mode', async () => {
    const visitor = await openPictures()
    const { page } = visitor
    await page.getByLabel('Choose a picture').setInputFiles(file('wren.png', wide))
    await page.getByRole('heading', { name: 'Crop the picture' }).waitFor()
    await expectAccessible(visitor, { inDark: true })
    await expectNoHorizontalScroll(visitor)
    await page.getByLabel('Zoom').fill('2')
    await page.getByLabel('Left and right').fill('1')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByText('Picture saved').first().waitFor()
    const url = (await avatarOf()) ?? ''
    expect(url).toStartWith(`${address}/pictures/`)
    expect(await readPicture(page, url)).toEqual({
      type: 'image/webp',
      sides: [512, 512],
      leftIs: 'blue',
    })
    // The form shows it, and leaving it asks nothing, because nothing is unsaved.
    expect(await page.getByLabel('Picture', { exact: true }).inputValue()).toBe(url)
    await page.locator('.shown-picture').first().waitFor()
    await expectAccessible(visitor, { inDark: true })
    await expectLargeTargets(visitor)
    await goBack(page)
    await page.getByRole('heading', { name: 'Wren', level: 1 }).waitFor()
  })

  test('moves and enlarges the picture by dragging, the wheel and two fingers', async () => {
    const { page } = await openPictures()
    await page.getByLabel('Choose a picture').setInputFiles(file('wren.png', wide))
    const sides = page.getByRole('slider', { name: 'Left and right' })
    const zoom = page.getByRole('slider', { name: 'Zoom' })
    const canvas = page.getByRole('img', { name: 'What will be shown' })
    const value = async (of: Locator) => Number(await of.inputValue())
    await sides.waitFor()
    expect(await value(sides)).toBe(0.5)
    const box = await canvas.boundingBox()
    if (!box) throw new Error('the picture is not shown')
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x - 30, y, { steps: 3 })
    await page.mouse.move(box.x - 400, y, { steps: 3 })
    await page.mouse.up()
    await until(async () => (await value(sides)) === 1)
    // The button is up: nothing is dragged any more.
    await page.mouse.move(x, y)
    expect(await value(sides)).toBe(1)
    await page.mouse.wheel(0, -300)
    await until(async () => (await value(zoom)) > 1)
    const before = await value(zoom)
    await page.evaluate(`{
      const canvas = document.querySelector('dialog canvas')
      // There are no fingers whose pointers could be captured.
      canvas.setPointerCapture = () => {}
      const touch = (type, pointerId, x) =>
        canvas.dispatchEvent(
          new PointerEvent(type, { pointerId, clientX: ${box.x} + x, clientY: ${y}, bubbles: true }),
        )
      touch('pointerdown', 11, 60)
      touch('pointerdown', 12, 90)
      touch('pointermove', 12, 120)
      touch('pointerup', 12, 120)
      touch('pointercancel', 11, 60)
    }`)
    await until(async () => (await value(zoom)) > before * 1.5)
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByText('Picture saved').first().waitFor()
    expect(await readPicture(page, (await avatarOf()) ?? '')).toMatchObject({ leftIs: 'blue' })
  })

  test('sends a JPEG if the browser cannot encode WebP', async () => {
    const { page, context } = await openPictures()
    // Browsers without an encoder answer a PNG, as Safari does.
    await page.evaluate(`{
      const { prototype } = HTMLCanvasElement
      const { toBlob } = prototype
      prototype.toBlob = function (done, type, quality) {
        toBlob.call(this, done, type === 'image/webp' ? 'image/png' : type, quality)
      }
    }`)
    await page.getByLabel('Choose a picture').setInputFiles(file('wren.png', wide))
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByText('Picture saved').first().waitFor()
    const url = (await avatarOf()) ?? ''
    expect(url).toEndWith('.jpg')
    expect(await readPicture(await context.newPage(), url)).toMatchObject({
      type: 'image/jpeg',
      sides: [512, 512],
    })
  })

  test('shows a photo upright that an app sends with its place', async () => {
    const { page } = await openPictures()
    const encoded = await page.evaluate(`(() => {
      const canvas = document.createElement('canvas')
      canvas.width = 80
      canvas.height = 40
      return canvas.toDataURL('image/jpeg')
    })()`)
    const jpeg = Buffer.from(String(encoded).split(',')[1] ?? '', 'base64')
    const exif = bytesOf(
      'Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0secret-place',
    )
    const segment = Buffer.from([0xff, 0xe1, 0, exif.length + 2, ...exif])
    const photo = Buffer.concat([jpeg.subarray(0, 2), segment, jpeg.subarray(2)])
    const { status } = await fetch(`${address}/ext/v1/members/${wren()}/picture`, {
      method: 'PUT',
      headers: { authorization: system.token },
      body: photo,
    })
    expect(status).toBe(200)
    const url = (await avatarOf()) ?? ''
    expect(await readPicture(page, url)).toMatchObject({ type: 'image/jpeg', sides: [40, 80] })
    const stored = Buffer.from(await (await fetch(url)).bytes())
    expect(stored.toString('latin1')).not.toContain('secret')
  })

  test('removes a picture, and takes that back', async () => {
    const { page } = await openPictures()
    await page.getByLabel('Choose a picture').setInputFiles(file('wren.png', wide))
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByText('Picture saved').first().waitFor()
    const stored = (await avatarOf()) ?? ''
    const shown = await (await fetch(stored)).bytes()
    await page.getByRole('button', { name: 'Remove picture' }).click()
    await page.getByText('Picture removed').first().waitFor()
    expect(await avatarOf()).toBe(null)
    expect((await fetch(stored)).status).toBe(404)
    expect(await page.getByLabel('Picture', { exact: true }).inputValue()).toBe('')
    const undo = page.getByRole('button', { name: 'Undo', exact: true })
    expect(await page.locator(':focus').textContent()).toBe('Undo')
    await undo.click()
    await page.getByText('Undone.').first().waitFor()
    const restored = (await avatarOf()) ?? ''
    expect(restored).toStartWith(`${address}/pictures/`)
    expect(await (await fetch(restored)).bytes()).toEqual(shown)
    expect(await page.getByLabel('Picture', { exact: true }).inputValue()).toBe(restored)
    // Nothing is unsaved, and nothing was changed elsewhere.
    expect(await page.getByText('Changed elsewhere').count()).toBe(0)
    await goBack(page)
    await page.getByRole('heading', { name: 'Wren', level: 1 }).waitFor()
  })

  test('refuses files that are no pictures, or too large to decode', async () => {
    const { page } = await openPictures()
    const problem = page.getByRole('alert').filter({ hasText: 'This isn’t a picture' })
    for (const wrong of [
      file('page.png', Buffer.from('<!doctype html><script>alert(1)</script>')),
      file('huge.png', pngWith(huge, deflateSync(Buffer.alloc(10)))),
      file('drawing.png', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')),
    ]) {
      await page.getByLabel('Choose a picture').setInputFiles(wrong)
      await problem.waitFor()
      expect(await page.getByRole('dialog').count()).toBe(0)
    }
  })

  test('sends the avatar archive after an import, and names what it skips', async () => {
    const { token } = await testServer.operate<{ token: string }>(
      'system',
      'create',
      '--name',
      'New',
    )
    const visitor = await visit(browser, size, 'light')
    const { page } = visitor
    await logIn(page, testServer, token)
    await page.getByRole('heading', { name: 'No members yet.' }).waitFor()
    await page.goto(`${address}/#/import`)
    await page.getByLabel('Choose a file').setInputFiles(join(fixtures, 'simplyplural.json'))
    await page.locator('.tallies').waitFor()
    await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByRole('heading', { name: 'Pictures from Simply Plural' }).waitFor()
    await expectAccessible(visitor)

    const bomb = Buffer.alloc(64 * 1024 * 1024)
    const archive = zipOf([
      { name: 'm1.png', bytes: wide },
      { name: 'f1.png', bytes: wide, isStored: true },
      { name: 'uInventedAccount000001.png', bytes: wide },
      { name: 'm2.png', bytes: Buffer.from('<!doctype html><p>not a picture') },
      { name: '../m2.png', bytes: wide },
      { name: 'stranger.png', bytes: wide },
      { name: 'm2.png', bytes: Buffer.alloc(40e6) },
      { name: 'm2.png', bytes: bomb, statedSize: 1000 },
      { name: 'm2.png', bytes: pngWith(huge, deflateSync(Buffer.alloc(10))) },
    ])
    const given = file('Avatars_u.zip', Buffer.from(archive), 'application/zip')
    const sent = Promise.withResolvers<void>()
    const loaded = Promise.withResolvers<void>()
    await visitor.context.route('**/picture', async (route) => {
      await sent.promise
      await route.continue()
    })
    await page.getByLabel('Choose the avatar archive').setInputFiles(given)
    const progress = page.getByRole('status').filter({ hasText: 'Picture 1 of 9' })
    await progress.waitFor()
    await expectAccessible(visitor)
    await expectNoHorizontalScroll(visitor)
    await visitor.context.route('**/ext/v1/systems/@me/members*', async (route) => {
      await loaded.promise
      await route.continue()
    })
    sent.resolve()
    await page.getByText('3 pictures saved').first().waitFor()
    // The members are still being loaded.
    expect(await page.getByRole('button', { name: 'Stop' }).count()).toBe(0)
    expect(await page.locator('progress').count()).toBe(0)
    loaded.resolve()
    await page.locator('summary', { hasText: 'Skipped (6)' }).click()
    expect(await page.locator('section section details li').allTextContents()).toEqual([
      'm2.png: not a picture, or too many pixels',
      '../m2.png: no imported member has this ID',
      'stranger.png: no imported member has this ID',
      'm2.png: larger than 8 MB',
      'm2.png: damaged',
      'm2.png: not a picture, or too many pixels',
    ])
    await expectAccessible(visitor)
    await expectNoHorizontalScroll(visitor)
    const members = await testServer.ask<{ name: string; avatar_url: string | null }[]>(
      'GET /v2/systems/@me/members',
      undefined,
      token,
    )
    const own = await testServer.ask<{ avatar_url: string }>(
      'GET /v2/systems/@me',
      undefined,
      token,
    )
    const stored = members.filter(({ avatar_url }) =>
      avatar_url?.startsWith(`${address}/pictures/`),
    )
    expect(stored).toHaveLength(2)
    expect(members.find(({ name }) => name === 'Ash')?.avatar_url ?? '').not.toContain('/pictures/')
    expect(await readPicture(page, own.avatar_url)).toEqual({
      type: 'image/webp',
      sides: [512, 512],
      leftIs: 'red',
    })
    await page
      .getByLabel('Choose the avatar archive')
      .setInputFiles(file('x.zip', Buffer.from('not an archive'), 'application/zip'))
    await page.getByRole('alert').filter({ hasText: 'Choose the .zip file' }).waitFor()
  })
})

test('explains that the server has no public address', async () => {
  const visitor = await visit(browser, 'phone', 'light')
  const { page } = visitor
  await logIn(page, withoutUrl, withoutUrl.token)
  await page.goto(`${withoutUrl.server.address}/#/system/edit`)
  await page.getByLabel('Choose a picture').setInputFiles(file('wren.png', wide))
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').filter({ hasText: 'PUBLIC_URL' }).waitFor()
})
