import { useLayoutEffect, useRef } from 'preact/hooks'

/**
 * Returns a ref for a row. If the row is removed while it has the focus, even by another device, the
 * focus goes to the element with this selector instead of vanishing.
 */
export function useFocusAfterRemoval<T extends HTMLElement>(selector: string) {
  const row = useRef<T>(null)
  useLayoutEffect(() => {
    const element = row.current
    return () => {
      if (element?.contains(document.activeElement))
        document.querySelector<HTMLElement>(selector)?.focus()
    }
  }, [])
  return row
}
