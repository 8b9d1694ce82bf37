import { access } from './access'
import { discord } from './discord'
import { friends } from './friends'
import { imports } from './imports'
import { limits } from './limits'
import type { Mutation } from './mutation'
import { network } from './network'
import { ownership } from './ownership'
import { pictures } from './pictures'
import { privacy } from './privacy'
import { push } from './push'
import { storage } from './storage'

/** Mutations of what protects privacy and data, by subject. */
export const subjects: Readonly<Record<string, readonly Mutation[]>> = {
  access,
  discord,
  friends,
  imports,
  limits,
  network,
  ownership,
  pictures,
  privacy,
  push,
  storage,
}
