import type { en } from './en'

/** Texts of the bot in one language. English defines which ones there are. */
export type Texts = typeof en
