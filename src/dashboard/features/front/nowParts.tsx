/** Parts of Now that are loaded together when the first of them is needed. */

export { NewPosts } from '../journal/newPosts'
export { FrontNoteSheet } from './frontNoteSheet'
export { PastTimePanel } from './pastTimePanel'
export { StatusField } from './statusField'
