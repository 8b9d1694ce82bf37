/** Saves a file through the browser, like a download with this name. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // By then the browser has read the file.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
