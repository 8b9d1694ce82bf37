import { type Browser, chromium, type Page } from 'playwright-core'

/** Launches an installed Chromium or Chrome. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = Bun.which('chromium') ?? Bun.which('google-chrome')
  if (!executablePath) throw new Error('neither chromium nor google-chrome is installed')
  return await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
}

export async function logIn(page: Page, address: string, token: string): Promise<void> {
  await page.goto(address)
  await page.getByLabel('Token').fill(token)
  await page.getByLabel('Remember this device').check()
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('heading', { name: 'Here now' }).waitFor()
}
