import type { Page } from 'playwright-core'
import { expect } from '../test'

export interface MemberJson {
  id: string
  uuid: string
  name: string
  description: string | null
  privacy: Record<string, string>
}

/** Returns the listed names in their order. */
export function listedNames(page: Page): Promise<string[]> {
  return page.locator('.members .name').allTextContents()
}

/** Waits until exactly these names are listed. */
export async function expectListed(page: Page, names: readonly string[]): Promise<void> {
  await waitUntil(async () => (await listedNames(page)).join() === names.join())
  expect(await listedNames(page)).toEqual([...names])
}

const TIMEOUT_MS = 100_000

/** Waits until a condition is true, or for the timeout. */
export async function waitUntil(condition: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + TIMEOUT_MS; Date.now() < end && !(await condition()); )
    await Bun.sleep(30)
}
