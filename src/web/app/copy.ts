/** Copies a text. Browsers have the new way only where the page came over https. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

function copyBySelection(text: string): boolean {
  const from = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  field.className = 'unseen'
  ;(document.querySelector('dialog[open]') ?? document.body).append(field)
  field.select()
  const isDone = document.execCommand('copy')
  field.remove()
  if (from instanceof HTMLElement) from.focus()
  return isDone
}
