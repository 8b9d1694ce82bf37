import { useState } from 'preact/hooks'
import { strings } from '../../texts/texts'

const FIRST_SHOWN = 8
const STEP = 24

/** Returns the first entries of a list and a button that shows more. */
export function useSelection<T>(all: readonly T[], first = FIRST_SHOWN, step = STEP) {
  const [count, setCount] = useState(first)
  const more = count < all.length && (
    <button type="button" class="plain" onClick={() => setCount(count + step)}>
      {strings.showMore}
    </button>
  )
  return { shown: all.slice(0, count), more }
}
