import { main } from './main'
import { list } from './members'

/** English texts of the first script. */
export const first = { main, list }
