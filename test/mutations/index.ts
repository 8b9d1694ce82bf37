import { access } from './access'
import { friends } from './friends'
import type { Mutation } from './mutation'
import { network } from './network'
import { pictures } from './pictures'
import { privacy } from './privacy'

/** Mutations of what protects privacy and data, by subject. */
export const subjects: Readonly<Record<string, readonly Mutation[]>> = {
  access,
  friends,
  network,
  pictures,
  privacy,
}
