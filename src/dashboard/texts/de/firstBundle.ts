import type { First } from '../catalogue'
import { main } from './main'
import { list } from './members'

/** German texts of the first script. */
export const first: First = { main, list }
