/** Member colours: six hex digits, as in the model. */

/** Returns black or white, whichever has more contrast: at least 4.58:1 on any colour. */
export function textOn(color: string): '#000000' | '#ffffff' {
  const light = luminance(color)
  return (light + 0.05) / 0.05 >= 1.05 / (light + 0.05) ? '#000000' : '#ffffff'
}

/** Returns the WCAG contrast ratio of two colours. */
export function contrast(color: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(color), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((start) => {
    const part = Number.parseInt(color.replace('#', '').slice(start, start + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
