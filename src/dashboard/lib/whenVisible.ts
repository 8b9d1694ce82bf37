/** Calls back when an element becomes visible, until the returned function is called. */
export function whenVisible(
  element: Element,
  onVisible: () => void,
  options: IntersectionObserverInit,
): () => void {
  // A busy browser reports several changes at once; only the last one is the present state.
  const observer = new IntersectionObserver((changes) => {
    if (changes.at(-1)?.isIntersecting) onVisible()
  }, options)
  observer.observe(element)
  return () => observer.disconnect()
}
