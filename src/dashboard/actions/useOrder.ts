import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { request } from '../api/client'
import { attempt } from '../core/actions'

/** Orders items at once; the requests with the new orders follow one after the other. */
export function useOrder<T extends { readonly id: string }>(
  all: readonly T[],
  /** Path of the order, such as `…/fields/order`. */
  path: string,
  reload: () => void,
) {
  const [order, setOrder] = useState<readonly string[] | null>(null)
  const [problem, setProblem] = useState('')
  const waiting = useRef(0)
  const saved = useRef<readonly string[] | null>(null)
  const isLoadedAgain = useRef(false)
  const last = useRef<Promise<void>>(Promise.resolve())
  const focus = useRef('')
  useEffect(() => {
    if (waiting.current > 0) return
    // It may have been requested before the last order was stored.
    if (!isLoadedAgain.current && saved.current?.some((id, index) => id !== all[index]?.id)) {
      isLoadedAgain.current = true
      return reload()
    }
    saved.current = null
    setOrder(null)
  }, [all])
  // Browsers drop the focus of a button that is moved in the page.
  useLayoutEffect(() => {
    if (focus.current !== '') document.getElementById(focus.current)?.focus()
    focus.current = ''
  }, [order])
  const items = order
    ? all.toSorted((item, other) => order.indexOf(item.id) - order.indexOf(other.id))
    : all
  const store = async (ids: readonly string[]) => {
    const failure = await attempt(() => request(path, { method: 'PUT', body: ids }))
    waiting.current--
    if (failure === '') saved.current = ids
    else setProblem(failure)
    if (waiting.current === 0 || failure !== '') reload()
  }
  /** Shows and stores an order; the pressed button keeps the focus. */
  const reorder = (ids: readonly string[], pressed: string) => {
    setProblem('')
    setOrder(ids)
    focus.current = pressed
    isLoadedAgain.current = false
    waiting.current++
    last.current = last.current.then(() => store(ids))
  }
  return { items, reorder, problem }
}

/** Swaps an item with the one before or after it; returns null if there is none. */
export function moveItem<T>(items: readonly T[], index: number, step: -1 | 1): T[] | null {
  const [first, second] = [items[index], items[index + step]]
  if (first === undefined || second === undefined) return null
  return items.with(index, second).with(index + step, first)
}
