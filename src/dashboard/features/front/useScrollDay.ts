import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { type HistoryQuery, type HistoryView, historyHash } from '../../core/address'
import { keepInAddress } from '../../core/route'

/** Time without scrolling after which the position is kept. */
const PAUSE_MS = 150
/** Rows above this height are under the bars of the page. */
const TOP_PX = 60

/** Keeps the day at the top of the screen in the address, and scrolls to it when the page opens. */
export function useScrollDay(view: HistoryView | 'day', query: HistoryQuery): void {
  const wanted = useRef(query.at)
  useEffect(() => {
    if (wanted.current === undefined) return
    const row = document.querySelector(`[data-date="${wanted.current}"]`)
    if (!row) return
    wanted.current = undefined
    row.scrollIntoView()
  })
  const key = JSON.stringify({ ...query, at: undefined })
  // Cleaned up before the next view is shown, whose rows must not be kept as those of this one.
  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const keep = () => {
      if (wanted.current !== undefined) return
      const rows = [...document.querySelectorAll<HTMLElement>('[data-date]')]
      const top = rows.find((row) => row.getBoundingClientRect().bottom > TOP_PX)
      const { at: _, ...others } = query
      const date = scrollY > TOP_PX ? top?.dataset.date : undefined
      keepInAddress(historyHash(view, date === undefined ? others : { ...others, at: date }))
    }
    const onScroll = () => {
      clearTimeout(timer)
      timer = setTimeout(keep, PAUSE_MS)
    }
    addEventListener('scroll', onScroll, { passive: true })
    return () => {
      clearTimeout(timer)
      removeEventListener('scroll', onScroll)
    }
  }, [view, key])
}
