import type { Settings } from '../../../model/systems/settings'

export type IdStyle = Partial<
  Pick<Settings, 'hid_display_split' | 'hid_display_caps' | 'hid_list_padding'>
>

/** Formats an ID as its reader prefers: in capitals, or in two halves. */
export function formatShortId(id: string, style: IdStyle): string {
  const split = style.hid_display_split && id.length === 6 ? `${id.slice(0, 3)}-${id.slice(3)}` : id
  return style.hid_display_caps ? split.toUpperCase() : split
}

/** Like `formatShortId`, with padding, so that IDs of five and six letters align in a list. */
export function formatListId(id: string, style: IdStyle): string {
  const shown = formatShortId(id, style)
  const width = style.hid_display_split ? 7 : 6
  if (style.hid_list_padding === 'left') return shown.padStart(width)
  return style.hid_list_padding === 'right' ? shown.padEnd(width) : shown
}
