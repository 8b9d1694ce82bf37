import type { Page } from 'playwright-core'

/** Returns the elements that are wider than the page or whose text is cut off. */
export const findOverflow = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    const wide = scrollWidth > clientWidth ? ['the page is ' + scrollWidth + ' px wide'] : []
    const cut = [...document.querySelectorAll('h1, h2, h3, p, dt, dd, label, button, legend, nav span, td, th')]
      .filter((one) => one.checkVisibility() && !one.closest('.unseen, .tile, .wide') && !one.matches('.unseen'))
      .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline')
      .map((one) => one.outerHTML.slice(0, 160))
    const broken = [...document.querySelectorAll('td')]
      .filter((one) => one.checkVisibility() && one.firstChild?.nodeType === Node.TEXT_NODE)
      .flatMap(({ firstChild }) => [...firstChild.data.matchAll(/\\S+/g)].filter(({ 0: word, index }) => {
        const range = document.createRange()
        range.setStart(firstChild, index)
        range.setEnd(firstChild, index + word.length)
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
        return word.length < 12 && lines.size > 1
      }))
      .map(([word]) => 'broken within a word: ' + word)
    return [...wide, ...cut, ...broken]
  })()`)
