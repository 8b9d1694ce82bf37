import { useState } from 'preact/hooks'
import { strings } from '../../strings'

const FEW = 8
const STEP = 24

/** A few of many, and more at a press: there is something to read below. */
export function useSelection<T>(all: readonly T[], first = FEW, step = STEP) {
  const [count, setCount] = useState(first)
  const more = count < all.length && (
    <button type="button" class="plain" onClick={() => setCount(count + step)}>
      {strings.showMore}
    </button>
  )
  return { some: all.slice(0, count), more }
}
