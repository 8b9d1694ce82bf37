import type { codes } from './en/codes'
import type { ext } from './en/ext'
import type { first } from './en/firstBundle'
import type { install } from './en/install'
import type { rest } from './en/restBundle'

/**
 * Texts of a language, in the shape of the English ones, so that a missing or superfluous text does
 * not compile. `First` is loaded at once, the others with the first page that needs them.
 */
export type First = typeof first
export type Rest = typeof rest
export type Ext = typeof ext
export type Codes = typeof codes
/** All texts except those of the first script. */
export type Later = Rest & Ext & Codes
export type Install = typeof install
