import { useEffect, useState } from 'preact/hooks'

/** Returns a value once it has not changed for a while. */
export function useDebounced<T>(value: T, delay: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(() => value), delay)
    return () => clearTimeout(timer)
  }, [value, delay])
  return settled
}
