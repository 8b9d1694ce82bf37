import type { Page } from 'playwright-core'
import { until } from '../../tools/until'

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
  await until(
    () => listedNames(page),
    (listed) => listed.join() === names.join(),
  )
}
